import type { PoolClient } from '@countersign/runtime/database';
import { asText, rowHash, type TextRow, textRowHash } from './hash.js';
import { entryKinds, namedRowsSql } from './kinds.js';

/** Identifies a row across all tables. */
export interface RowName {
  kind: string;
  ref: string;
}

export interface Row {
  ref: string;
  hash: string;
  /** When it was written according to its own columns, in epoch milliseconds; 0 if unknown. */
  at: number;
  /** True if there are several with this name, which only a dropped primary key allows. */
  isRepeated?: boolean;
}

/** Reads the current rows of these entries; deleted rows are absent from the result. */
export async function readRows(
  client: PoolClient,
  entries: ReadonlyArray<RowName & { txid: string; format: number }>,
): Promise<Map<string, Row>> {
  const found = new Map<string, Row>();
  for (const kind of entryKinds) {
    for (const format of [1, 2]) {
      const named = entries.filter((entry) => entry.kind === kind.kind && entry.format === format);
      if (named.length === 0) continue;
      const text = namedRowsSql(kind, format);
      const values = [named.map(({ txid }) => txid), named.map(({ ref }) => ref)];
      for (const row of await hashed(client, { text, values, format })) {
        const name = nameOf({ kind: kind.kind, ref: row.ref });
        found.set(name, found.has(name) ? { ...row, isRepeated: true } : row);
      }
    }
  }
  return found;
}

interface Query {
  text: string;
  values: string[][];
  format: number;
}

/** Computes the hashes in this process, since the database server itself is being verified. */
async function hashed(client: PoolClient, { text, values, format }: Query): Promise<Row[]> {
  if (format === 1) {
    const { rows } = await client.query<TextRow>({ text, values, types: asText });
    return rows.map((row) => ({ ...placeOf(row), hash: textRowHash(row) }));
  }
  const { rows } = await client.query<TextRow & { bytes: Buffer }>(text, values);
  return rows.map((row) => ({ ...placeOf(row), hash: rowHash(row.bytes) }));
}

function placeOf({ chain_ref, chain_at }: TextRow): { ref: string; at: number } {
  return { ref: chain_ref ?? '', at: Number(chain_at) };
}

export function nameOf({ kind, ref }: RowName): string {
  return `${kind} ${ref}`;
}
