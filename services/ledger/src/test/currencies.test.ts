/** A payment in another currency than its mandate is declined, and keeps its own decimals. */
import { failSafeAnswer } from '@countersign/kernel/fail-safe';
import type { CommitRequest } from '@countersign/proto/ledger';
import { t as file, test } from 'tap';
import { callOf, createWorld, faultOf, newSpender, proposalOf, type Spender } from './fixture.js';

const world = await createWorld(file);
const ledger = await world.start();
const { handlers } = ledger;
const call = callOf(ledger);

/** The payment, and the decimals of the mandate's currency. */
const payments = [
  { amount: '10.50', currency: 'USD', exponent: 0, formatted: '10.50' },
  { amount: '0.4', currency: 'USD', exponent: 0, formatted: '0.40' },
  { amount: '1.235', currency: 'KWD', exponent: 2, formatted: '1.235' },
  { amount: '1500', currency: 'JPY', exponent: 2, formatted: '1500' },
] as const;

async function declined(spender: Spender, payment: Partial<CommitRequest>): Promise<CommitRequest> {
  const request = proposalOf(spender, {
    decision: 'DECLINE',
    reasonCodes: ['CURRENCY_MISMATCH'],
    limits: {},
    ...payment,
  });
  const { outcome } = await handlers.Commit(request, call);
  if (outcome !== 'recorded') throw new Error(outcome);
  return request;
}

for (const { formatted, ...payment } of payments) {
  const { amount, currency, exponent } = payment;
  const name = `${amount} ${currency} on a mandate of ${exponent} decimals`;

  test(`${name} is returned unchanged, in single reads and in lists`, async (t) => {
    const spender = newSpender();
    const { authorizationId, agentId = '' } = await declined(spender, payment);
    const entry = await handlers.GetAuthorization({ tenant: spender, authorizationId }, call);
    const none = formatted.replace(/\d/g, '0').replace(/^0+(?=0)/, '');
    t.match(entry, { amount: formatted, currency, reversedAmount: none });
    const page = { limit: 5 };
    const list = { tenant: spender, agentId, page };
    const { entries } = await handlers.ListAgentAuthorizations(list, call);
    t.same(
      entries.map((listed) => listed.amount),
      [formatted],
    );
  });

  test(`${name} cannot be reversed, by id or by key`, async (t) => {
    const spender = newSpender();
    const { authorizationId } = await declined(spender, payment);
    const which = { tenant: spender, authorizationId, requestedBy: 'prn_test' };
    t.match(await handlers.Reverse({ ...which, amount }, call), { reversed: false });
    const finer = { ...which, amount: `${formatted.includes('.') ? formatted : `${formatted}.`}1` };
    const decimals = formatted.split('.')[1]?.length ?? 0;
    const message = `has too many decimals: ${currency} has ${decimals}`;
    t.match(await faultOf(handlers.Reverse(finer, call)), {
      kind: 'invalid',
      code: 'VALIDATION_ERROR',
      message: `The request is not valid: amount ${message}.`,
      errors: [{ field: 'amount', message, type: 'too_many_decimals' }],
    });
  });

  test(`${name} is returned unchanged also after a void`, async (t) => {
    const spender = newSpender();
    const request = await declined(spender, payment);
    const { mandateId: _mandate, limits: _limits, ...paid } = request;
    const given = {
      ...paid,
      reasonCodes: ['SYSTEM_FAIL_SAFE'],
      answerTemplate: failSafeAnswer({
        authorizationId: request.authorizationId,
        transactionId: request.transactionId,
        correlationKey: request.correlationKey,
        agentId: spender.agentId,
        currency,
        processingTimeMs: 1,
      }),
      answerGiven: true,
    };
    t.match(await handlers.Commit(given, call), { outcome: 'recorded' });
    const { rows } = await ledger.context.stores.live.pool.query(
      `SELECT event -> 'data' ->> 'amount' AS amount, event -> 'data' ->> 'currency' AS currency
       FROM outbox, json_array_elements(('[' || payload || ']')::json) event
       WHERE event -> 'data' ->> 'authorizationId' = $1
         AND event ->> 'type' = 'authorization.amended'`,
      [request.authorizationId],
    );
    t.same(rows, [{ amount: formatted, currency }]);
  });
}
