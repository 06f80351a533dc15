import type { CommitResponse } from '@countersign/proto/ledger';
import { encodeRowArray, encodeTextArray } from '@countersign/runtime/database/sql-array';
import { failureOf } from '../failure.js';
import { commitSql, commitWithIntentSql, settleGivenSql } from '../sql.js';
import { hasOtherEpoch, otherEpochResponses } from './epoch.js';
import { batchParameters } from './parameters.js';
import type { Pending } from './pending.js';
import type { Proposal } from './proposal.js';
import { givenAnswerRow } from './proposal-row.js';
import { type ResultRow, responsesOf } from './responses.js';
import type { CommitStore, Database } from './store.js';

type Responses = Array<CommitResponse | null>;

/**
 * Sends one batch and returns a response for each of its proposals, in order. If a fence or another
 * epoch has made some stale, nothing is recorded: the response to those is `stale`, and null to the
 * others.
 */
export function sendBatch(store: CommitStore, batch: readonly Pending[]): Promise<Responses> {
  return inEpoch(store, batch, async (database) => {
    const sending = batchParameters(database, batch);
    const topics = encodeTextArray(batch.map(({ proposal }) => proposal.topic));
    const { rows } = await store.pool.query<ResultRow>({
      name: 'commit',
      text: commitSql,
      values: [...sending.values, topics, database.epoch],
      rowMode: 'array',
    });
    return responsesOf(database, { ...sending, batch, rows });
  });
}

/** The same for a single proposal with a vi_chain, whose use is recorded with it. */
export function sendWithIntent(store: CommitStore, pending: Pending): Promise<Responses> {
  const batch = [pending];
  return inEpoch(store, batch, async (database) => {
    const sending = batchParameters(database, batch);
    const { rows } = await store.pool.query<ResultRow>({
      text: commitWithIntentSql,
      values: [...sending.values, ...(pending.proposal.intent?.values ?? []), database.epoch],
      rowMode: 'array',
    });
    return responsesOf(database, { ...sending, batch, rows });
  });
}

const maxDatabases = 3;

/** Sends to the database that is known, unless proposals were made from facts of another epoch. */
async function inEpoch(
  store: CommitStore,
  batch: readonly Pending[],
  send: (database: Database) => Promise<Responses>,
): Promise<Responses> {
  // Another replica may have told it before this one has noticed; were the former epoch told here,
  // the two could contradict each other until nobody's rounds are left.
  if (hasOtherEpoch(store.database, batch)) await store.leadsElsewhere(store.database);
  return whereverItLeads(
    store,
    async (database) => otherEpochResponses(database, batch) ?? (await send(database)),
  );
}

/**
 * One of another epoch refuses a statement, by itself or because a type has another id there: then
 * what is known of the database is read again, and the statement is sent once more.
 */
async function whereverItLeads<T>(
  store: CommitStore,
  send: (database: Database) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const { database } = store;
    try {
      return await send(database);
    } catch (error) {
      const mayBeAnother = attempt < maxDatabases && failureOf(error) === 'refused';
      if (!mayBeAnother || !(await store.leadsElsewhere(database))) throw error;
    }
  }
}

/** The result of `settle_given_answer`. */
export interface Settled {
  outcome: 'absent' | 'keyless' | 'recorded' | 'replayed' | 'key_reused' | 'id_taken';
  answer: string | null;
}

export function settleGiven(
  store: CommitStore,
  { row, texts }: Proposal,
  values: readonly unknown[],
): Promise<Settled> {
  return whereverItLeads(store, async ({ type }) => {
    const proposals = encodeRowArray([givenAnswerRow(row, texts)], type);
    const { rows } = await store.pool.query<Settled>(settleGivenSql, [proposals, ...values]);
    const [settled] = rows;
    if (!settled) throw new Error('settle_given_answer returned no row');
    return settled;
  });
}
