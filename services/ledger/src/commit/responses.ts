import type { CommitResponse, EntityVersion } from '@countersign/proto/ledger';
import { limitCodes } from '../limits.js';
import { type BatchParameters, versionName } from './parameters.js';
import { outcomeOnly, type Pending } from './pending.js';
import type { Database } from './store.js';

export type ResultRow = [
  request: number,
  outcome: string,
  answer: string | null,
  detail: string | null,
];

interface BatchResult extends BatchParameters {
  batch: readonly Pending[];
  rows: readonly ResultRow[];
}

/** One for each proposal of the batch, in order. */
export function responsesOf(
  { bases }: Database,
  { batch, rows, seen, unrecorded }: BatchResult,
): Array<CommitResponse | null> {
  if (rows[0]?.[1] === 'stale') return staleResponses(batch, seen, rows);
  const responses = new Array<CommitResponse | null>(batch.length).fill(null);
  for (const row of rows) responses[row[0] - 1] = toResponse(row);
  if (rows.some(([, outcome]) => outcome === 'recorded')) bases.add(unrecorded);
  return responses;
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
  return batch.map(({ proposal: { seen } }) =>
    seen.some((version) => stale.has(versionName(version))) ? outcomeOnly('stale') : null,
  );
}

function toResponse([, outcome, answer, detail]: ResultRow): CommitResponse {
  const response = outcomeOnly(outcome);
  if (answer !== null) setAnswer(response, answer);
  if (detail === null) return response;
  if (outcome === 'intent_differs') return { ...response, intentCodes: JSON.parse(detail) };
  const { exceeded, usage } = JSON.parse(detail);
  return { ...response, limitCodes: limitCodes(exceeded), usage };
}

/**
 * For a newly recorded answer the database returns only the middle, as the rest is unchanged. That
 * of a replay stays as it is stored: were it restored here, one that cannot be restored would fail
 * the whole batch, which is committed.
 */
function setAnswer(response: CommitResponse, answer: string): void {
  if (response.outcome === 'recorded') response.answerMiddle = answer;
  else response.answer = answer;
}
