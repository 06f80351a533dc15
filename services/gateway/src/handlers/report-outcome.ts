import { Fault, invalidField } from '@countersign/kernel/fault';
import { isOutcomeType } from '@countersign/kernel/outcome-type';
import type { RecordedOutcome } from '@countersign/proto/ledger';
import type { Handler } from '../handler.js';
import { outcomeMessage } from '../messages/outcome.js';
import { type reportOutcome as body, unknownOutcomeType } from '../schemas/outcome.js';
import { moneyText } from '../views/money.js';
import { outcomeView } from '../views/outcome.js';

/** 201 for what is new, 200 where it was known already or a later settlement took its place. */
export const reportOutcome: Handler<{ body: typeof body }> = async (context, request) => {
  if (!isOutcomeType(request.body.outcome_type)) {
    throw new Fault('malformed', { code: 'BAD_REQUEST', message: `${unknownOutcomeType}.` });
  }
  const { results } = await context.clients.ledger.call.RecordOutcomes(
    { tenant: request.tenant, reports: [outcomeMessage(request.body)] },
    request.callOptions(),
  );
  const [result] = results;
  if (result?.outcome) {
    const status = result.status === 'created' ? 201 : 200;
    return { status, body: outcomeView(result.outcome, moneyText, result.paymentCurrency) };
  }
  throw refusalOf(result);
};

/** In the words of every other endpoint that names an authorization; a batch has its own. */
function refusalOf(result: RecordedOutcome | undefined): Fault {
  if (result?.status !== 'not_found') {
    const { errorField = '', errorType = 'invalid', error } = result ?? {};
    return invalidField(errorField, errorType, error ?? 'The outcome cannot be recorded.');
  }
  if (result.error === 'TENANT_MISMATCH') {
    return new Fault('forbidden', {
      code: 'TENANT_MISMATCH',
      message: 'The authorization belongs to another Principal.',
    });
  }
  return new Fault('not_found', { code: 'NOT_FOUND', message: 'No such authorization.' });
}
