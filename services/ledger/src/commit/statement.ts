import type { CommitResponse, EntityVersion } from '@countersign/proto/ledger';
import type { Pool } from '@countersign/runtime/database';
import { onceReached } from '@countersign/runtime/once-reached';
import {
  encodeIntArray,
  encodeRowArray,
  encodeTextArray,
  type RowType,
} from '@countersign/runtime/sql-array';
import { limitCodes } from '../limits.js';
import { commitSql, commitWithIntentSql, proposalTypeSql, settleGivenSql } from '../sql.js';
import { outcomeOnly, type Pending } from './pending.js';
import type { Proposal } from './proposal.js';
import { givenAnswerRow, proposalAttributes, setMandateIndex } from './proposal-row.js';
import type { RecordedBases } from './recorded-bases.js';

type ResultRow = [request: number, outcome: string, answer: string | null, detail: string | null];

/** The database, and what is known about it across batches. */
export interface CommitStore {
  pool: Pool;
  type: RowType;
  bases: RecordedBases;
}

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

/** The parameters of a batch, and what is needed to interpret its result. */
interface BatchParameters {
  values: unknown[];
  seen: readonly EntityVersion[];
  unrecorded: ReturnType<RecordedBases['unrecorded']>;
}

function batchParameters({ type, bases }: CommitStore, batch: readonly Pending[]): BatchParameters {
  const mandates = indexMandates(batch);
  const seen = distinctVersions(batch);
  const unrecorded = bases.unrecorded(batch);
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
    encodeTextArray(unrecorded.map(([hash]) => hash)),
    encodeTextArray(unrecorded.map(([, body]) => body)),
  ];
  return { values, seen, unrecorded };
}

interface BatchResult extends BatchParameters {
  batch: readonly Pending[];
  rows: readonly ResultRow[];
}

function responsesOf(
  { bases }: CommitStore,
  { batch, rows, seen, unrecorded }: BatchResult,
): Array<CommitResponse | null> {
  if (rows[0]?.[1] === 'stale') return staleResponses(batch, seen, rows);
  const responses = new Array<CommitResponse | null>(batch.length).fill(null);
  for (const row of rows) responses[row[0] - 1] = toResponse(row, batch[row[0] - 1]?.proposal);
  if (rows.some(([, outcome]) => outcome === 'recorded')) bases.add(unrecorded);
  return responses;
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

/**
 * Sets the mandate index of each row. Returns the mandates in the order in which they are locked.
 */
function indexMandates(batch: readonly Pending[]): string[] {
  const named = batch.flatMap(({ proposal }) => proposal.mandateId ?? []);
  const mandates = [...new Set(named)].sort();
  const places = new Map(mandates.map((mandate, index) => [mandate, index + 1]));
  for (const { proposal } of batch) {
    setMandateIndex(
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

function staleResponses(
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

/** For a newly recorded answer the database returns only the middle, as the rest is unchanged. */
function setAnswer(response: CommitResponse, answer: string, proposal: Proposal | undefined): void {
  if (response.outcome !== 'recorded' || !proposal) {
    response.answer = answer;
    return;
  }
  const { head, tail } = proposal.texts.answer;
  response.answer = head + answer + tail;
  response.answerMiddle = answer;
}
