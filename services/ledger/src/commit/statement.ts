import type { CommitResponse, EntityVersion } from '@countersign/proto/ledger';
import type { Pool } from '@countersign/runtime/database';
import { limitCodes } from '../limits.js';
import { commitSql, proposalTypeSql, settleGivenSql } from '../sql.js';
import { encodeRowArray, encodeTextArray, type RowType } from './binary.js';
import type { Pending } from './pending.js';
import { longTexts, placeInBatch, proposalAttributes } from './proposal-row.js';

type ResultRow = [request: number, outcome: string, answer: string | null, detail: string | null];

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
  pool: Pool,
  type: RowType,
  batch: readonly Pending[],
): Promise<Array<CommitResponse | null>> {
  const mandates = placeMandates(batch);
  const seen = distinctVersions(batch);
  const proposals = batch.map(({ proposal }) => proposal.row);
  const { rows } = await pool.query<ResultRow>({
    name: 'commit',
    text: commitSql,
    values: [
      encodeRowArray(proposals, type, longTexts),
      ...longTexts.map((place) => encodeTextArray(proposals.map((row) => row[place] ?? null))),
      encodeTextArray(mandates),
      encodeTextArray(seen.map(({ entityId }) => entityId)),
      `{${seen.map(({ version }) => version).join()}}`,
    ],
    rowMode: 'array',
  });
  if (rows[0]?.[1] === 'stale') return staleAnswers(batch, seen, rows);
  const answers = new Array<CommitResponse | null>(batch.length).fill(null);
  for (const row of rows) answers[row[0] - 1] = toResponse(row);
  return answers;
}

/** What became of an answer that was given elsewhere; see settle_given_answer. */
export interface Settled {
  outcome: 'absent' | 'keyless' | 'recorded' | 'replayed' | 'key_reused' | 'id_taken';
  answer: string | null;
}

export async function settleGiven(
  pool: Pool,
  proposals: Buffer,
  values: readonly unknown[],
): Promise<Settled> {
  const { rows } = await pool.query<Settled>(settleGivenSql, [proposals, ...values]);
  const [row] = rows;
  if (!row) throw new Error('settle_given_answer gave no row');
  return row;
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
    return { outcome: 'stale', limitCodes: [], staleEntities };
  });
}

function toResponse([, outcome, answer, detail]: ResultRow): CommitResponse {
  const response: CommitResponse = { outcome, limitCodes: [], staleEntities: [] };
  if (answer !== null) response.answer = answer;
  if (detail === null) return response;
  const { exceeded, usage } = JSON.parse(detail);
  return { ...response, limitCodes: limitCodes(exceeded), usage };
}
