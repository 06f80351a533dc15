import type { RecordedOutcome } from '@countersign/proto/ledger';
import type { Handler } from '../handler.js';
import { outcomeMessage } from '../messages/outcome.js';
import { type reportOutcomes as body, outcomeProblem } from '../schemas/outcome.js';
import { outcomeBatchView } from '../views/outcome-batch.js';

/** Each row for itself: what is wrong with one says nothing about the others. */
export const reportOutcomes: Handler<{ body: typeof body }> = async (context, request) => {
  const problems = request.body.outcomes.map(outcomeProblem);
  const sent = request.body.outcomes.filter((_, index) => problems[index] === null);
  const { results } =
    sent.length === 0
      ? { results: [] }
      : await context.clients.ledger.call.RecordOutcomes(
          { tenant: request.tenant, reports: sent.map(outcomeMessage) },
          request.callOptions(),
        );
  const answered = results.values();
  const rows = request.body.outcomes.map(({ authorization_id: namedId }, index) => {
    const error = problems[index] ?? null;
    return { answer: error === null ? answered.next().value : invalidRow(error), namedId };
  });
  return { status: 200, body: outcomeBatchView(rows) };
};

function invalidRow(error: string): RecordedOutcome {
  return { status: 'invalid', error };
}
