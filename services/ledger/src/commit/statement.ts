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

/** What a committer sends by, and what it remembers from one batch to the next. */
export interface Door {
  pool: Pool;
  type: RowType;
  bases: KeptBases;
}

/** Asks for the database's type `proposal`; throws when this build was written for another. */
export async function readProposalType(pool: Pool): Promise<RowType> {
  const { rows } = await pool.query<{ oid: number; attributes: string[] }>(proposalTypeSql);
  const [type] = rows;
  if (type?.attributes.join() !== proposalAttributes.join()) {
    throw new Error('the type "proposal" of the database is not the one this build sends');
  }
  return { oid: type.oid, attributes: type.attributes.length };
}

/**
 * Sends one batch and returns an answer for each of its proposals, in their order; `stale` for
 * those that a fence has overtaken, and then nothing was recorded and null stands for the others.
 */
export async function sendBatch(
  door: Door,
  batch: readonly Pending[],
): Promise<Array<CommitResponse | null>> {
  const sending = sendingOf(door, batch);
  const { rows } = await door.pool.query<ResultRow>({
    name: 'commit',
    text: commitSql,
    values: sending.values,
    rowMode: 'array',
  });
  return answersOf(door, { ...sending, batch, rows });
}

/** The same for one proposal that came with a vi_chain, and with what that uses up. */
export async function sendWithIntent(
  door: Door,
  pending: Pending,
): Promise<Array<CommitResponse | null>> {
  const batch = [pending];
  const sending = sendingOf(door, batch);
  const { rows } = await door.pool.query<ResultRow>({
    text: commitWithIntentSql,
    values: [...sending.values, ...(pending.proposal.intent?.values ?? [])],
    rowMode: 'array',
  });
  return answersOf(door, { ...sending, batch, rows });
}

/** What the database is sent of a batch, and what is needed to read its answer. */
interface Sending {
  values: unknown[];
  seen: readonly EntityVersion[];
  fresh: ReturnType<KeptBases['fresh']>;
}

function sendingOf({ type, bases }: Door, batch: readonly Pending[]): Sending {
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
  { bases }: Door,
  { batch, rows, seen, fresh }: Answered,
): Array<CommitResponse | null> {
  if (rows[0]?.[1] === 'stale') return staleAnswers(batch, seen, rows);
  const answers = new Array<CommitResponse | null>(batch.length).fill(null);
  for (const row of rows) answers[row[0] - 1] = toResponse(row, batch[row[0] - 1]?.proposal);
  if (rows.some(([, outcome]) => outcome === 'recorded')) bases.keep(fresh);
  return answers;
}

/** What became of an answer that was given elsewhere; see settle_given_answer. */
export interface Settled {
  outcome: 'absent' | 'keyless' | 'recorded' | 'replayed' | 'key_reused' | 'id_taken';
  answer: string | null;
}

export async function settleGiven(
  { pool, type }: Door,
  { row, texts }: Proposal,
  values: readonly unknown[],
): Promise<Settled> {
  const proposals = encodeRowArray([givenAnswerRow(row, texts)], type);
  const { rows } = await pool.query<Settled>(settleGivenSql, [proposals, ...values]);
  const [settled] = rows;
  if (!settled) throw new Error('settle_given_answer gave no row');
  return settled;
}

/** Tells each row which mandate of the batch is its own; returns them in the order of locks. */
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

/** Of what was recorded just now only the middle comes back: the rest is what was sent. */
function setAnswer(response: CommitResponse, answer: string, proposal: Proposal | undefined): void {
  if (response.outcome !== 'recorded' || !proposal) {
    response.answer = answer;
    return;
  }
  const { head, tail } = proposal.texts.answer;
  response.answer = head + answer + tail;
  response.answerMiddle = answer;
}
