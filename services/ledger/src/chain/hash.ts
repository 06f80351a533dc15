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
 * The format of new entries: a row is hashed in PostgreSQL's binary format, an entry as the JSON
 * array of its fields. Format 1 hashed a row as canonical JSON of its columns as text, for which
 * the whole row had to be transferred.
 */
export const currentFormat = 2;

/** For queries whose rows are hashed: values stay text, so that nothing is lost by parsing. */
export const asText = { getTypeParser: () => (text: string) => text };

/** Fixes the session settings that the text of values depends on, for the transaction. */
export const plainTextSql = `
  SELECT set_config('timezone', 'UTC', true), set_config('datestyle', 'ISO, YMD', true),
    set_config('extra_float_digits', '1', true), set_config('bytea_output', 'hex', true)`;

/** Hex SHA-256 of a row in its binary form, as `record_send` gives it. */
export function rowHash(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/**
 * Format 1: hex SHA-256 over the canonical JSON of the row. A null column is absent, so that a
 * column that a later release adds, null in every older row, does not change what they hash to.
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
