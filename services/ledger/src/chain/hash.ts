import { createHash } from 'node:crypto';
import { canonicalHash, sha256Hex } from '@countersign/kernel/canonical';

/** A row with every column as PostgreSQL writes it, null where it is null. */
export type TextRow = Record<string, string | null>;

export interface ChainLink {
  seq: string;
  kind: string;
  ref: string;
  txid: string;
  recordHash: string;
  previousHash: string;
}

/** What the first entry follows. */
export const genesisHash = '0'.repeat(64);

/**
 * How entries are made now: a row is hashed as the bytes of PostgreSQL's binary form of its
 * columns, an entry as the JSON array of what it says. Entries of format 1 hashed a row as
 * canonical JSON of its texts, for which the whole row had to be read and spelled.
 */
export const currentFormat = 2;

/** For a query whose rows are hashed: no value is parsed, so nothing is lost on the way. */
export const asText = { getTypeParser: () => (text: string) => text };

/**
 * The text of a value depends on these settings of a session; a hash must not. They hold for the
 * transaction.
 */
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
