import type { Cipher } from '@countersign/kernel/cipher';
import { type Clock, isoTime } from '@countersign/kernel/clock';
import type { Environment } from '@countersign/kernel/environment';
import { inTransaction, type Pool, type PoolClient } from '@countersign/runtime/database';
import { currentFormat, entryHash, genesisHash } from './hash.js';
import { newChainKey, type SealedKey, signHead } from './head.js';
import { chainKinds, rowsAfterSql } from './kinds.js';
import {
  addEntriesSql,
  addHeadSql,
  addKeySql,
  builderLockSql,
  chainStateSql,
  newestKeySql,
  placesSql,
} from './sql.js';

export interface ChainParts {
  environment: Environment;
  pool: Pool;
  cipher: Cipher;
  clock: Clock;
  /** The end of the chain is signed when it was not for this long. */
  headEveryMs: number;
}

/** The most entries of one transaction, and so the most rows in memory. */
export const entriesAtOnce = 256;

interface ChainState {
  horizon: string;
  seq: string | null;
  hash: string | null;
  txid: string | null;
  headSeq: string | null;
  headSignedAt: Date | null;
}

interface Place {
  txid: string;
  ref: string;
}

/** The database's transactions are younger than its own records: it was restored from a dump. */
export class ForeignTransactions extends Error {
  constructor() {
    super('the records bear transactions that this database server has not seen yet');
    this.name = 'ForeignTransactions';
  }
}

/**
 * Adds the next entries in one transaction. Returns how many; null where another replica is at it.
 * All is read from the database each time, so a builder can end anywhere and another go on.
 */
export function extendChain(parts: ChainParts): Promise<number | null> {
  return inTransaction(parts.pool, async (client) => {
    const lock = await client.query<{ taken: boolean }>(builderLockSql);
    if (!lock.rows[0]?.taken) return null;
    const { rows } = await client.query<ChainState>(chainStateSql);
    const [state] = rows;
    if (!state) throw new Error('the state of the chain is unknown');
    if (state.txid !== null && BigInt(state.txid) >= BigInt(state.horizon)) {
      throw new ForeignTransactions();
    }
    const fresh = await nextRows(client, state);
    const end = await addEntries(client, state, fresh);
    await signEnd(client, parts, { state, end });
    return fresh.length;
  });
}

interface FreshRow extends Place {
  kind: string;
  recordHash: string;
}

async function nextRows(client: PoolClient, state: ChainState): Promise<FreshRow[]> {
  const kinds = chainKinds.map(({ kind }) => kind);
  const places = await client.query<Place & { kind: string }>(placesSql, [kinds]);
  const last = { txid: state.txid ?? '0', ref: '' };
  const found: FreshRow[] = [];
  for (const each of chainKinds) {
    const ended = places.rows.find(({ kind }) => kind === each.kind);
    // All of the transactions before the last are chained, also where a kind had no part in it.
    const after = ended?.txid === last.txid ? ended : last;
    const { rows } = await client.query<Place & { recordHash: string }>(rowsAfterSql(each), [
      after.txid,
      after.ref,
      state.horizon,
      entriesAtOnce,
    ]);
    for (const row of rows) found.push({ kind: each.kind, ...row });
  }
  // The first of each table are the first of all; the sort is stable and keeps their order.
  found.sort((a, b) => (BigInt(a.txid) < BigInt(b.txid) ? -1 : a.txid === b.txid ? 0 : 1));
  return found.slice(0, entriesAtOnce);
}

interface ChainEnd {
  seq: string;
  hash: string;
}

async function addEntries(
  client: PoolClient,
  state: ChainState,
  fresh: readonly FreshRow[],
): Promise<ChainEnd | null> {
  let end = state.seq !== null && state.hash !== null ? { seq: state.seq, hash: state.hash } : null;
  const entries: string[][] = [];
  for (const { kind, ref, txid, recordHash } of fresh) {
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

async function signEnd(
  client: PoolClient,
  { environment, cipher, clock, headEveryMs }: ChainParts,
  { state, end }: { state: ChainState; end: ChainEnd | null },
): Promise<void> {
  const now = clock();
  if (end === null || end.seq === state.headSeq) return;
  if (state.headSignedAt && now - state.headSignedAt.getTime() < headEveryMs) return;
  const key = await signingKey(client, cipher, now);
  const signedAt = isoTime(now);
  const { kid } = key;
  const statement = { environment, seq: end.seq, entryHash: end.hash, signedAt, kid };
  const signature = signHead(statement, key, cipher);
  await client.query(addHeadSql, [end.seq, end.hash, signedAt, kid, signature]);
}

/** A new one where the newest was sealed with a key that is no longer configured. */
async function signingKey(client: PoolClient, cipher: Cipher, now: number): Promise<SealedKey> {
  const { rows } = await client.query<SealedKey>(newestKeySql);
  const [newest] = rows;
  if (newest && cipher.knows(newest.sealedBy)) return newest;
  const key = newChainKey(cipher);
  const { kid, algorithm, publicJwk, sealedPrivate, sealedBy } = key;
  const at = isoTime(now);
  await client.query(addKeySql, [kid, algorithm, publicJwk, sealedPrivate, sealedBy, at]);
  return key;
}
