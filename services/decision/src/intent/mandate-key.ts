import { hash } from 'node:crypto';
import type { SdJwt } from './sd-jwt.js';

/**
 * The key by which spending under a mandate is counted. It covers neither the signature, since
 * ECDSA signatures are malleable, nor disclosures other than that of the payment mandate, since the
 * holder chooses which of them to present.
 */
export function mandateKey({ signed }: SdJwt, paymentDigest: string): string {
  return hash('sha256', `${signed}|${paymentDigest}`, 'hex');
}
