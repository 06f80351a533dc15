import { createHash } from 'node:crypto';
import { canonicalHash, sha256Hex } from '@countersign/kernel/canonical';

/** A row with every column in PostgreSQL's text format. */
export type TextRow = Record<string, string | null>;

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
 * The format of new entries hashes rows in PostgreSQL's binary format and entries as a JSON array
 * of their fields. Format 1 hashed rows as canonical JSON of their columns as text, for which
 * complete rows had to be transferred.
 */
export const currentFormat = 2;

/** For queries whose rows are hashed: values are not parsed, so that they are hashed exactly. */
export const asText = { getTypeParser: () => (text: string) => text };

/** Sets, for the transaction, the session settings that the text format of values depends on. */
export const plainTextSql = `
  SELECT set_config('timezone', 'UTC', true), set_config('datestyle', 'ISO, YMD', true),
    set_config('extra_float_digits', '1', true), set_config('bytea_output', 'hex', true)`;

/** Hex SHA-256 of a row in the binary format of `record_send`. */
export function rowHash(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/**
 * Format 1: hex SHA-256 of the canonical JSON of the row. Null columns are omitted, so that a
 * column added by a later release, which is null in older rows, does not change their hashes.
 */
export function textRowHash({ chain_ref: _ref, chain_at: _at, ...row }: TextRow): string {
  return canonicalHash(
    Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)),
  );
}

export function entryHash(link: ChainLink, format: number): string {
  const { seq, kind, ref, txid, recordHash, previousHash } = link;
  if (format === 1) return canonicalHash({ seq, kind, ref, txid, recordHash, previousHash });
  return sha256Hex(JSON.stringify([format, seq, kind, ref, txid, recordHash, previousHash]));
}
