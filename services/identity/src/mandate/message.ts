import type { MandateInput } from '@countersign/proto/identity';

/** Bounds the mandates in one gRPC message of at most 4 MiB; the largest mandate has 250 KB. */
export const maxMandatesBytes = 3_000_000;

/** An upper bound of the mandate's encoded size. */
export function mandateBytes(mandate: MandateInput): number {
  return Buffer.byteLength(JSON.stringify(mandate));
}
