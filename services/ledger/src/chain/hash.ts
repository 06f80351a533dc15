import { canonicalHash } from '@countersign/kernel/canonical';

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

/** For a query whose rows are hashed: no value is parsed, so nothing is lost on the way. */
export const asText = { getTypeParser: () => (text: string) => text };

/**
 * The text of a value depends on these settings of a session; a hash must not. They hold for the
 * transaction.
 */
export const plainTextSql = `
  SELECT set_config('timezone', 'UTC', true), set_config('datestyle', 'ISO, YMD', true),
    set_config('extra_float_digits', '1', true), set_config('bytea_output', 'hex', true)`;

/**
 * Hex SHA-256 over the canonical JSON of the row. A null column is absent, so that a column that a
 * later release adds, null in every older row, does not change what they hash to.
 */
export function recordHash({ chain_ref: _ref, ...row }: TextRow): string {
  return canonicalHash(
    Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)),
  );
}

export function entryHash(link: ChainLink): string {
  return canonicalHash(link);
}
