import { createHmac } from 'node:crypto';
import { randomBase62 } from '@countersign/kernel/secret';

/** `whsec_` and 256 random bits; the whole text is the HMAC key. */
export function newSigningSecret(): string {
  return `whsec_${randomBase62(43)}`;
}

/** `data` is JSON text and sent as stored; only the timestamp differs between attempts. */
interface Unsigned {
  id: string;
  event: string;
  timestamp: string;
  data: string;
}

/** The exact bytes that are signed and sent: an envelope of four fields. */
export function envelopeBytes({ id, event, timestamp, data }: Unsigned): Buffer {
  const head = JSON.stringify({ id, event, timestamp });
  return Buffer.from(`${head.slice(0, -1)},"data":${data}}`);
}

/**
 * Value of the signature header: `sha256=<hex>` per secret, newest first. During a rotation there
 * are two, separated by a comma, and either is sufficient.
 */
export function signatureHeader(body: Uint8Array, secrets: readonly string[]): string {
  return secrets
    .map((secret) => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`)
    .join(',');
}
