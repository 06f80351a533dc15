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

/**
 * Planning the statements cost more than executing them. Without values and statistics only the
 * indexes that they were made for are good plans.
 */
const begin =
  'BEGIN; SET LOCAL plan_cache_mode = force_generic_plan; ' +
  'SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; SET LOCAL jit = off';

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
class ForeignTransactions extends Error {
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
  const done = await inTransaction(
    pool,
    async (client) => {
      const lock = await client.query<{ taken: boolean }>(builderLockSql);
      if (!lock.rows[0]?.taken) return null;
      const state = await readState(client, parts);
      const unchained = await nextRows(client, state);
      const end = await addEntries(client, state, unchained);
      const head = await signEnd(client, parts, { newest: state.newest, end });
      return { added: unchained.length, head };
    },
    begin,
  );
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
  const { rows } = await client.query<Row>({
    name: 'chain-state',
    text: chainStateSql,
    values: [memory.seq],
  });
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
  const places = await client.query<Place & { kind: string }>({
    name: 'chain-places',
    text: placesSql,
    values: [kinds],
  });
  const last = { txid: state.lastTxid ?? '0', ref: '' };
  const after = kinds.map((each) => {
    const ended = places.rows.find(({ kind }) => kind === each);
    // Transactions before that of the last entry are chained completely, for all kinds.
    return ended?.txid === last.txid ? ended : last;
  });
  const { rows } = await client.query<UnchainedRow>({
    name: 'chain-rows',
    text: rowsAfterSql,
    values: [
      after.map(({ txid }) => txid),
      after.map(({ ref }) => ref),
      state.horizon,
      entriesAtOnce,
    ],
  });
  const placed = rows.map((row) => ({
    row,
    txid: BigInt(row.txid),
    kind: kinds.indexOf(row.kind),
  }));
  // Stable, which keeps the order of the rows of a kind within a transaction.
  placed.sort((a, b) => (a.txid === b.txid ? a.kind - b.kind : a.txid < b.txid ? -1 : 1));
  return placed.slice(0, entriesAtOnce).map(({ row }) => row);
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
    const values = [...columns, currentFormat];
    await client.query({ name: 'chain-entries', text: addEntriesSql, values });
  }
  return end;
}
