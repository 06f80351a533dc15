import type { Pool } from '@countersign/runtime/database';
import {
  type ChainKind,
  chainKinds,
  twinRowSql,
  unchainableRowSql,
  unchainedRowSql,
} from './kinds.js';
import type { BadEntry } from './signatures.js';

/** Those of one statement, which takes seconds at the most. */
const usualRowsAtOnce = 50_000;

export interface ChainedUpTo {
  lastTxid: string | null;
  /** Of no visible row, unless the log was written on another server, as after a restore. */
  nextTxid: string;
}

interface Place {
  ref: string;
  txid: string | null;
}

interface ReadRows {
  txid: string;
  ref: string;
  slipped: string | null;
}

/**
 * A row that should have an entry, as its transaction is before the last chained one, or one that
 * will never have one.
 */
export async function findUnchained(
  reader: Pick<Pool, 'query'>,
  { lastTxid, nextTxid }: ChainedUpTo,
  rowsAtOnce = usualRowsAtOnce,
): Promise<BadEntry | null> {
  const last = lastTxid ?? '0';
  const isHere = lastTxid !== null && BigInt(lastTxid) < BigInt(nextTxid);
  for (const each of chainKinds) {
    const { kind } = each;
    const outside = (ref: string, problem: string) => ({ seq: null, kind, ref, problem });
    const slipped = await findSlipped(reader, each, { last, rowsAtOnce });
    if (slipped !== null) return outside(slipped, 'no entry covers this row');
    const twins = await reader.query<{ ref: string }>(twinRowSql(each), [kind, last]);
    if (twins.rows[0]) return outside(twins.rows[0].ref, 'a chained row has the same id');
    const { rows } = await reader.query<Place>(unchainableRowSql(each), [isHere]);
    const [row] = rows;
    if (!row) continue;
    if (row.txid === null) return outside(row.ref, 'it has no transaction');
    return outside(row.ref, 'its transaction has yet to begin on this server');
  }
  return null;
}

/** From the last chained transaction down to the first one. */
async function findSlipped(
  reader: Pick<Pool, 'query'>,
  kind: ChainKind,
  { last, rowsAtOnce }: { last: string; rowsAtOnce: number },
): Promise<string | null> {
  const sql = unchainedRowSql(kind);
  for (let before = { txid: last, ref: '' }; ; ) {
    const values = [kind.kind, before.txid, before.ref, rowsAtOnce];
    const { rows } = await reader.query<ReadRows>(sql, values);
    const [read] = rows;
    if (!read) return null;
    if (read.slipped !== null) return read.slipped;
    before = read;
  }
}
