import type { CommitResponse } from '@countersign/proto/ledger';
import type { Pool } from '@countersign/runtime/database';
import { onceReached } from '@countersign/runtime/once-reached';
import { encodeRowArray, encodeTextArray, type RowType } from '@countersign/runtime/sql-array';
import { commitSql, commitWithIntentSql, proposalTypeSql, settleGivenSql } from '../sql.js';
import { batchParameters } from './parameters.js';
import type { Pending } from './pending.js';
import type { Proposal } from './proposal.js';
import { givenAnswerRow, proposalAttributes } from './proposal-row.js';
import { type ResultRow, responsesOf } from './responses.js';
import type { CommitStore } from './store.js';

/** Reads the composite type `proposal`; throws if it is not the one that this build expects. */
export async function readProposalType(pool: Pool): Promise<RowType> {
  const { rows } = await onceReached(() =>
    pool.query<{ oid: number; attributes: string[] }>(proposalTypeSql),
  );
  const [type] = rows;
  if (type?.attributes.join() !== proposalAttributes.join()) {
    throw new Error('the type "proposal" of the database does not match this build');
  }
  return { oid: type.oid, attributes: type.attributes.length };
}

/**
 * Sends one batch and returns a response for each of its proposals, in order. If a fence has made
 * some stale, nothing is recorded: the response to those is `stale`, and null to the others.
 */
export async function sendBatch(
  store: CommitStore,
  batch: readonly Pending[],
): Promise<Array<CommitResponse | null>> {
  const sending = batchParameters(store, batch);
  const { rows } = await store.pool.query<ResultRow>({
    name: 'commit',
    text: commitSql,
    values: [...sending.values, encodeTextArray(batch.map(({ proposal }) => proposal.topic))],
    rowMode: 'array',
  });
  return responsesOf(store, { ...sending, batch, rows });
}

/** The same for a single proposal with a vi_chain, whose use is recorded with it. */
export async function sendWithIntent(
  store: CommitStore,
  pending: Pending,
): Promise<Array<CommitResponse | null>> {
  const batch = [pending];
  const sending = batchParameters(store, batch);
  const { rows } = await store.pool.query<ResultRow>({
    text: commitWithIntentSql,
    values: [...sending.values, ...(pending.proposal.intent?.values ?? [])],
    rowMode: 'array',
  });
  return responsesOf(store, { ...sending, batch, rows });
}

/** The result of `settle_given_answer`. */
export interface Settled {
  outcome: 'absent' | 'keyless' | 'recorded' | 'replayed' | 'key_reused' | 'id_taken';
  answer: string | null;
}

export async function settleGiven(
  { pool, type }: CommitStore,
  { row, texts }: Proposal,
  values: readonly unknown[],
): Promise<Settled> {
  const proposals = encodeRowArray([givenAnswerRow(row, texts)], type);
  const { rows } = await pool.query<Settled>(settleGivenSql, [proposals, ...values]);
  const [settled] = rows;
  if (!settled) throw new Error('settle_given_answer returned no row');
  return settled;
}
