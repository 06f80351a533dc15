import { inTransaction, type Pool, type PoolClient } from '@countersign/runtime/database';
import { currentFormat, entryHash, genesisHash } from './hash.js';
import { chainKinds, rowsAfterSql } from './kinds.js';
import type { HeadMemory, HeadWithEntry } from './memory.js';
import { type ChainEnd, type SigningParts, signEnd } from './sign.js';
import { addEntriesSql, builderLockSql, chainStateSql, placesSql } from './sql.js';

export interface ChainParts extends SigningParts {
  pool: Pool;
  /** Not shared with other builders or environments. */
  memory: HeadMemory;
}

/**
 * Maximum number of entries per transaction, which bounds the memory. `verify-log` derives from it
 * how many entries may lack a head; if it is changed, older logs must still verify.
 */
export const entriesAtOnce = 256;

interface ChainState {
  horizon: string;
  lastSeq: string | null;
  lastHash: string | null;
  lastTxid: string | null;
  newest: HeadWithEntry | null;
}

interface Place {
  txid: string;
  ref: string;
}

/**
 * Records have transaction ids beyond those of the server, as after a restore of a logical dump.
 */
export class ForeignTransactions extends Error {
  constructor() {
    super('records have transaction ids that this database server has not assigned yet');
    this.name = 'ForeignTransactions';
  }
}

/**
 * Adds the next entries in one transaction. Returns their number, or null if another replica is
 * adding entries. All state is read from the database each time, so that a builder may crash at
 * any point. Its memory only serves to detect tampering; see `LogWasChanged`.
 */
export async function extendChain(parts: ChainParts): Promise<number | null> {
  const { memory, pool } = parts;
  memory.assertUnchanged();
  const done = await inTransaction(pool, async (client) => {
    const lock = await client.query<{ taken: boolean }>(builderLockSql);
    if (!lock.rows[0]?.taken) return null;
    const state = await readState(client, parts);
    const unchained = await nextRows(client, state);
    const end = await addEntries(client, state, unchained);
    const head = await signEnd(client, parts, { newest: state.newest, end });
    return { added: unchained.length, head };
  });
  if (!done) return null;
  // Only after the commit: a head that was rolled back would appear to have been removed.
  memory.remember(done.head);
  return done.added;
}

async function readState(
  client: PoolClient,
  { environment, memory }: ChainParts,
): Promise<ChainState> {
  type Row = Omit<ChainState, 'newest'> & (HeadWithEntry | { seq: null });
  const { rows } = await client.query<Row>(chainStateSql, [memory.seq]);
  const [state] = rows;
  if (!state) throw new Error('the state of the chain could not be read');
  const heads = rows.filter((row) => row.seq !== null);
  const newest = heads[0] ?? null;
  const remembered = heads.find(({ seq }) => seq === memory.seq) ?? null;
  memory.check({ environment, remembered, newest });
  if (state.lastTxid !== null && BigInt(state.lastTxid) >= BigInt(state.horizon)) {
    throw new ForeignTransactions();
  }
  return { ...state, newest };
}

interface UnchainedRow extends Place {
  kind: string;
  recordHash: string;
}

async function nextRows(client: PoolClient, state: ChainState): Promise<UnchainedRow[]> {
  const kinds = chainKinds.map(({ kind }) => kind);
  const places = await client.query<Place & { kind: string }>(placesSql, [kinds]);
  const last = { txid: state.lastTxid ?? '0', ref: '' };
  const found: UnchainedRow[] = [];
  for (const each of chainKinds) {
    const ended = places.rows.find(({ kind }) => kind === each.kind);
    // Transactions before that of the last entry are chained completely, for all kinds.
    const after = ended?.txid === last.txid ? ended : last;
    const { rows } = await client.query<Place & { recordHash: string }>(rowsAfterSql(each), [
      after.txid,
      after.ref,
      state.horizon,
      entriesAtOnce,
    ]);
    for (const row of rows) found.push({ kind: each.kind, ...row });
  }
  // Sorts stably by transaction, which keeps the order of the kinds within a transaction.
  found.sort((a, b) => (BigInt(a.txid) < BigInt(b.txid) ? -1 : a.txid === b.txid ? 0 : 1));
  return found.slice(0, entriesAtOnce);
}

async function addEntries(
  client: PoolClient,
  { lastSeq, lastHash }: ChainState,
  unchained: readonly UnchainedRow[],
): Promise<ChainEnd | null> {
  let end = lastSeq !== null && lastHash !== null ? { seq: lastSeq, hash: lastHash } : null;
  const entries: string[][] = [];
  for (const { kind, ref, txid, recordHash } of unchained) {
    const seq = String(BigInt(end?.seq ?? 0) + 1n);
    const previousHash = end?.hash ?? genesisHash;
    const link = { seq, kind, ref, txid, recordHash, previousHash };
    end = { seq, hash: entryHash(link, currentFormat) };
    entries.push([seq, kind, ref, txid, recordHash, previousHash, end.hash]);
  }
  if (entries.length > 0) {
    const columns = [0, 1, 2, 3, 4, 5, 6].map((at) => entries.map((entry) => entry[at]));
    await client.query(addEntriesSql, [...columns, currentFormat]);
  }
  return end;
}
