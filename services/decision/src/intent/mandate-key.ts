import { hash } from 'node:crypto';
import type { SdJwt } from './sd-jwt.js';

/**
 * What spending under a mandate is counted by. It leaves the signature out, since an ECDSA
 * signature has a second spelling that verifies as well, and the disclosures other than that of the
 * payment mandate, since a holder chooses which of them to show.
 */
export function mandateKey({ signed }: SdJwt, paymentDigest: string): string {
  return hash('sha256', `${signed}|${paymentDigest}`, 'hex');
}
