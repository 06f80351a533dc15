import type { Pool } from '@countersign/runtime/database';
import { rowHash } from './hash.js';
import { chainKinds, namedRowsSql } from './kinds.js';

/** Identifies a row across all tables. */
interface RowName {
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
  reader: Pick<Pool, 'query'>,
  entries: ReadonlyArray<RowName & { txid: string }>,
): Promise<Map<string, Row>> {
  const found = new Map<string, Row>();
  for (const kind of chainKinds) {
    const named = entries.filter((entry) => entry.kind === kind.kind);
    if (named.length === 0) continue;
    const { rows } = await reader.query<FoundRow>(namedRowsSql(kind), [
      named.map(({ txid }) => txid),
      named.map(({ ref }) => ref),
    ]);
    for (const { ref, at, bytes } of rows) {
      const name = nameOf({ kind: kind.kind, ref });
      // Hashed in this process, since the database server itself is being verified.
      const row = { ref, at: Number(at), hash: rowHash(bytes) };
      found.set(name, found.has(name) ? { ...row, isRepeated: true } : row);
    }
  }
  return found;
}

interface FoundRow {
  ref: string;
  at: string;
  bytes: Buffer;
}

export function nameOf({ kind, ref }: RowName): string {
  return `${kind} ${ref}`;
}
