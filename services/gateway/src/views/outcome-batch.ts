import type { RecordedOutcome } from '@countersign/proto/ledger';

const statuses = ['created', 'updated', 'duplicate', 'not_found', 'invalid'] as const;

/** A row that got no answer was not recorded, which is all that can be said of it. */
const unanswered: RecordedOutcome = { status: 'invalid', error: 'The outcome was not recorded.' };

/** One result for each row that was sent, in order, and how many there are of each kind. */
export function outcomeBatchView(rows: ReadonlyArray<RecordedOutcome | undefined>) {
  const results = rows.map((row, index) => resultView(row ?? unanswered, index));
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

function resultView({ status, outcome, error }: RecordedOutcome, index: number) {
  return {
    index,
    status,
    id: outcome?.id ?? null,
    authorization_id: outcome?.authorizationId ?? null,
    error: error ?? null,
  };
}
