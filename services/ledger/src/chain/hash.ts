import { createHash } from 'node:crypto';
import { sha256Hex } from '@countersign/kernel/canonical';

export interface ChainLink {
  seq: string;
  kind: string;
  ref: string;
  txid: string;
  recordHash: string;
  previousHash: string;
}

/** The previous hash of the first entry. */
export const genesisHash = '0'.repeat(64);

/**
 * How new entries are hashed: rows in PostgreSQL's binary format, and entries as a JSON array of
 * their fields.
 */
export const currentFormat = 2;

/** Hex SHA-256 of a row in the binary format of `record_send`. */
export function rowHash(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export function entryHash(link: ChainLink, format: number): string {
  const { seq, kind, ref, txid, recordHash, previousHash } = link;
  return sha256Hex(JSON.stringify([format, seq, kind, ref, txid, recordHash, previousHash]));
}
