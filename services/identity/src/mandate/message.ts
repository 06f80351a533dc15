import type { MandateInput } from '@countersign/proto/identity';

/** Of the mandates of one message, which may have 4 MiB; the largest mandate has 250 KB. */
export const maxMandatesBytes = 3_000_000;

/** More than the mandate has in a message. */
export function mandateBytes(mandate: MandateInput): number {
  return Buffer.byteLength(JSON.stringify(mandate));
}
