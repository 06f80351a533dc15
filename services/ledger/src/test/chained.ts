import { Cipher } from '@countersign/kernel/cipher';
import type { Environment } from '@countersign/kernel/environment';
import { newId } from '@countersign/kernel/id';
import type { CommitRequest } from '@countersign/proto/ledger';
import type { PoolClient } from '@countersign/runtime/database';
import { until } from '@countersign/runtime/testing';
import { type ChainParts, extendChain } from '../chain/extend.js';
import { entryHash, rowHash } from '../chain/hash.js';
import { chainKinds, namedRowsSql } from '../chain/kinds.js';
import { HeadMemory } from '../chain/memory.js';
import type { ExternalEvidence } from '../chain/signatures.js';
import { addEntriesSql, entriesSql } from '../chain/sql.js';
import { type LogReport, verifyLog } from '../chain/verify.js';
import { asChallenge } from './challenge.js';
import { callOf, type Ledger, newSpender, proposalOf, retryUnavailable } from './fixture.js';

interface Given {
  environment?: Environment;
  heads?: ReadonlyArray<readonly [seq: string, hash: string]>;
  kids?: readonly string[];
}

/** A newly started builder, unless a memory is given. */
export function partsOf(ledger: Ledger, given: Partial<ChainParts> = {}): ChainParts {
  const { pool } = ledger.context.stores.live;
  const cipher = new Cipher([Buffer.alloc(32, 7)]);
  const clock = ledger.context.clock;
  const memory = new HeadMemory();
  return { environment: 'live', pool, cipher, clock, headEveryMs: 0, memory, ...given };
}

export async function chainAll(ledger: Ledger, given: Partial<ChainParts> = {}): Promise<number> {
  let entries = 0;
  // A transaction of another database of the server may briefly hold back the horizon.
  await until(
    async () => {
      entries += (await extendChain(partsOf(ledger, given))) ?? 0;
      return (await verified(ledger)).waiting === 0;
    },
    { what: 'the chain to catch up' },
  );
  return entries;
}

export function verified(
  ledger: Ledger,
  { environment = 'live', heads = [], kids = [] }: Given = {},
): Promise<LogReport> {
  const { pool } = ledger.context.stores.live;
  const kept: ExternalEvidence = {
    heads: new Map(heads.map(([seq, hash]) => [seq, [hash]])),
    kids,
  };
  return verifyLog(pool, environment, kept);
}

/** A log with all kinds of entries. */
export async function makeLog(ledger: Ledger): Promise<CommitRequest[]> {
  const { handlers } = ledger;
  const call = callOf(ledger);
  const spender = newSpender();
  const stepUp: Partial<CommitRequest> = asChallenge();
  const requests = [{}, {}, stepUp, stepUp, {}].map((given: Partial<CommitRequest>) =>
    proposalOf(spender, given),
  );
  for (const request of requests) await retryUnavailable(() => handlers.Commit(request, call));
  const [first, second, third, fourth, fifth] = requests.map(({ authorizationId }) => ({
    tenant: spender,
    authorizationId,
  }));
  await handlers.Reverse(
    { ...first, amount: '1.00', requestedBy: 'prn', reversalId: newId('event') },
    call,
  );
  await handlers.Reverse({ ...second, requestedBy: 'prn', reversalId: newId('event') }, call);
  await handlers.ConfirmStepUp({ ...third, confirmedBy: 'prn' }, call);
  await handlers.DenyStepUp({ ...fourth, deniedBy: 'prn' }, call);
  const report = {
    outcomeId: newId('outcome'),
    authorizationId: fifth?.authorizationId ?? '',
    outcomeType: 'SETTLED',
    reportedAt: new Date().toISOString(),
    reportedBy: 'ISSUER',
    networkRrn: 'rrn-1',
    settledAt: new Date().toISOString(),
  };
  const { results } = await handlers.RecordOutcomes({ tenant: spender, reports: [report] }, call);
  if (results[0]?.status !== 'created') throw new Error(JSON.stringify(results));
  return requests;
}

/** The newest entry of a short log. */
export async function lastEntry(client: PoolClient) {
  const { rows } = await client.query(entriesSql, [0, 1_000, 1_000]);
  return rows.at(-1) as { seq: string; txid: string; entryHash: string };
}

/** Appends an entry for a row, with the hashes that it must have. */
export async function addEntry(
  client: PoolClient,
  place: { kind: string; ref: string; txid: string },
): Promise<void> {
  const last = await lastEntry(client);
  const kind = chainKinds.find((each) => each.kind === place.kind);
  if (!kind) throw new Error('the kind is unknown');
  const { rows: named } = await client.query(namedRowsSql(kind), [[place.txid], [place.ref]]);
  const recordHash = rowHash(named[0].bytes);
  const seq = String(Number(last.seq) + 1);
  const hash = entryHash({ ...place, seq, recordHash, previousHash: last.entryHash }, 2);
  const columns = [seq, place.kind, place.ref, place.txid, recordHash, last.entryHash, hash];
  await client.query(addEntriesSql, [...columns.map((value) => [value]), 2]);
}

/** Executes work as the owner of the tables. */
export async function switchTriggersOff(client: PoolClient): Promise<void> {
  const { rows } = await client.query<{ sql: string }>(
    `SELECT string_agg(format('ALTER TABLE %I DISABLE TRIGGER ALL', relname), ';') AS sql
     FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
  );
  await client.query(rows[0]?.sql ?? '');
}
