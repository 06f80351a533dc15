import type { RecordedOutcome } from '@countersign/proto/ledger';

const statuses = ['created', 'updated', 'duplicate', 'not_found', 'invalid'] as const;

/** A row that got no answer was not recorded, which is all that can be said of it. */
const unanswered: RecordedOutcome = { status: 'invalid', error: 'The outcome was not recorded.' };

/** What a row of the request was answered. */
interface AnsweredRow {
  answer: RecordedOutcome | undefined;
  /** The authorization that the row itself named, if it named one by its id. */
  namedId: string | undefined;
}

/** One result for each row that was sent, in order, and how many there are of each kind. */
export function outcomeBatchView(rows: readonly AnsweredRow[]) {
  const results = rows.map(resultView);
  const count = (status: string) => results.filter((row) => row.status === status).length;
  const [created, updated, duplicate, notFound, invalid] = statuses.map(count);
  return {
    total: results.length,
    created,
    updated,
    duplicate,
    not_found: notFound,
    invalid,
    results,
  };
}

function resultView({ answer = unanswered, namedId }: AnsweredRow, index: number) {
  const { status, outcome, error } = answer;
  return {
    index,
    status,
    id: outcome?.id ?? null,
    authorization_id: outcome?.authorizationId ?? namedId ?? null,
    error: error ?? null,
  };
}
