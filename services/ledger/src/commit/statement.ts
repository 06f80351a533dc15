import type { CommitResponse, EntityVersion } from '@countersign/proto/ledger';
import type { Pool } from '@countersign/runtime/database';
import {
  encodeIntArray,
  encodeRowArray,
  encodeTextArray,
  type RowType,
} from '@countersign/runtime/sql-array';
import { limitCodes } from '../limits.js';
import { commitSql, commitWithIntentSql, proposalTypeSql, settleGivenSql } from '../sql.js';
import type { KeptBases } from './kept-bases.js';
import { outcomeOnly, type Pending } from './pending.js';
import type { Proposal } from './proposal.js';
import { givenAnswerRow, placeInBatch, proposalAttributes } from './proposal-row.js';

type ResultRow = [request: number, outcome: string, answer: string | null, detail: string | null];

/** The database that batches are sent to, and what is known of it from one batch to the next. */
export interface CommitStore {
  pool: Pool;
  type: RowType;
  bases: KeptBases;
}

/** Reads the database's composite type `proposal`; throws where this build expects another. */
export async function readProposalType(pool: Pool): Promise<RowType> {
  const { rows } = await pool.query<{ oid: number; attributes: string[] }>(proposalTypeSql);
  const [type] = rows;
  if (type?.attributes.join() !== proposalAttributes.join()) {
    throw new Error('the type "proposal" of the database is not the one this build sends');
  }
  return { oid: type.oid, attributes: type.attributes.length };
}

/**
 * Sends one batch and returns an answer for each of its proposals, in their order. Where a fence
 * has made some stale, nothing is recorded: those get `stale`, and the others null.
 */
export async function sendBatch(
  store: CommitStore,
  batch: readonly Pending[],
): Promise<Array<CommitResponse | null>> {
  const sending = sendingOf(store, batch);
  const { rows } = await store.pool.query<ResultRow>({
    name: 'commit',
    text: commitSql,
    values: sending.values,
    rowMode: 'array',
  });
  return answersOf(store, { ...sending, batch, rows });
}

/** The same for one proposal with a vi_chain, together with what the chain uses up. */
export async function sendWithIntent(
  store: CommitStore,
  pending: Pending,
): Promise<Array<CommitResponse | null>> {
  const batch = [pending];
  const sending = sendingOf(store, batch);
  const { rows } = await store.pool.query<ResultRow>({
    text: commitWithIntentSql,
    values: [...sending.values, ...(pending.proposal.intent?.values ?? [])],
    rowMode: 'array',
  });
  return answersOf(store, { ...sending, batch, rows });
}

/** The parameters of a batch, and what is needed to read the answer to it. */
interface Sending {
  values: unknown[];
  seen: readonly EntityVersion[];
  fresh: ReturnType<KeptBases['fresh']>;
}

function sendingOf({ type, bases }: CommitStore, batch: readonly Pending[]): Sending {
  const mandates = placeMandates(batch);
  const seen = distinctVersions(batch);
  const fresh = bases.fresh(batch);
  const column = (textOf: (proposal: Proposal) => string | null): Buffer =>
    encodeTextArray(batch.map(({ proposal }) => textOf(proposal)));
  const values = [
    encodeRowArray(
      batch.map(({ proposal }) => proposal.row),
      type,
    ),
    column(({ basis }) => basis?.hash ?? null),
    column(({ texts }) => texts.facts),
    column(({ texts }) => texts.answer.head),
    column(({ texts }) => texts.answer.middle),
    column(({ texts }) => texts.answer.tail),
    column(({ texts }) => texts.event),
    column(({ texts }) => texts.eventFormat),
    encodeTextArray(mandates),
    encodeTextArray(seen.map(({ entityId }) => entityId)),
    encodeIntArray(seen.map(({ version }) => version)),
    encodeTextArray(fresh.map(([hash]) => hash)),
    encodeTextArray(fresh.map(([, body]) => body)),
  ];
  return { values, seen, fresh };
}

interface Answered extends Sending {
  batch: readonly Pending[];
  rows: readonly ResultRow[];
}

function answersOf(
  { bases }: CommitStore,
  { batch, rows, seen, fresh }: Answered,
): Array<CommitResponse | null> {
  if (rows[0]?.[1] === 'stale') return staleAnswers(batch, seen, rows);
  const answers = new Array<CommitResponse | null>(batch.length).fill(null);
  for (const row of rows) answers[row[0] - 1] = toResponse(row, batch[row[0] - 1]?.proposal);
  if (rows.some(([, outcome]) => outcome === 'recorded')) bases.keep(fresh);
  return answers;
}

/** What `settle_given_answer` did with an answer that the gateway gave by itself. */
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
  if (!settled) throw new Error('settle_given_answer gave no row');
  return settled;
}

/** Sets in each row the index of its mandate; returns the mandates in the order they are locked. */
function placeMandates(batch: readonly Pending[]): string[] {
  const named = batch.flatMap(({ proposal }) => proposal.mandateId ?? []);
  const mandates = [...new Set(named)].sort();
  const places = new Map(mandates.map((mandate, index) => [mandate, index + 1]));
  for (const { proposal } of batch) {
    placeInBatch(
      proposal.row,
      proposal.mandateId === null ? undefined : places.get(proposal.mandateId),
    );
  }
  return mandates;
}

function distinctVersions(batch: readonly Pending[]): EntityVersion[] {
  const seen = new Map<string, EntityVersion>();
  for (const { proposal } of batch) {
    for (const version of proposal.seen) seen.set(versionName(version), version);
  }
  return [...seen.values()];
}

function versionName({ entityId, version }: EntityVersion): string {
  return `${entityId} ${version}`;
}

function staleAnswers(
  batch: readonly Pending[],
  seen: readonly EntityVersion[],
  rows: readonly ResultRow[],
): Array<CommitResponse | null> {
  const stale = new Set(
    rows.flatMap(([index]) => {
      const version = seen[index - 1];
      return version ? versionName(version) : [];
    }),
  );
  return batch.map(({ proposal }) => {
    const outdated = proposal.seen.filter((version) => stale.has(versionName(version)));
    if (outdated.length === 0) return null;
    const staleEntities = outdated.map(({ entityId }) => entityId);
    return { ...outcomeOnly('stale'), staleEntities };
  });
}

function toResponse(
  [, outcome, answer, detail]: ResultRow,
  proposal: Proposal | undefined,
): CommitResponse {
  const response = outcomeOnly(outcome);
  if (answer !== null) setAnswer(response, answer, proposal);
  if (detail === null) return response;
  if (outcome === 'intent_differs') return { ...response, intentCodes: JSON.parse(detail) };
  const { exceeded, usage } = JSON.parse(detail);
  return { ...response, limitCodes: limitCodes(exceeded), usage };
}

/** Of a newly recorded answer the database returns the middle only: the rest is as it was sent. */
function setAnswer(response: CommitResponse, answer: string, proposal: Proposal | undefined): void {
  if (response.outcome !== 'recorded' || !proposal) {
    response.answer = answer;
    return;
  }
  const { head, tail } = proposal.texts.answer;
  response.answer = head + answer + tail;
  response.answerMiddle = answer;
}
