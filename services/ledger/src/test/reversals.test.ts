import { newId } from '@countersign/kernel/id';
import type { ReverseRequestInput } from '@countersign/proto/ledger';
import { t as file, test } from 'tap';
import { callOf, createWorld, faultOf, newSpender, proposalOf } from './fixture.js';

const world = await createWorld(file);
const ledger = await world.start();
const call = callOf(ledger);

async function approved(tenant: ReturnType<typeof newSpender>, given = {}) {
  const proposal = proposalOf(tenant, given);
  await ledger.handlers.Commit(proposal, call);
  const reverse = (reversal: ReverseRequestInput) =>
    ledger.handlers.Reverse({ tenant, requestedBy: 'prn_test', ...reversal }, call);
  const { authorizationId } = proposal;
  return { authorizationId, reverse };
}

test('a reversal by an idempotency key is one of the payment with this key', async (t) => {
  const spender = newSpender();
  const keys = [1, 2, 3].map((n) => `key-${n}-${newId('event')}`);
  for (const originalIdempotencyKey of keys) {
    const { authorizationId, reverse } = await approved(spender, {
      idempotencyKey: originalIdempotencyKey,
    });
    t.has(await reverse({ originalIdempotencyKey }), { authorizationId, reversed: true });
  }
  const { reverse } = await approved(spender);
  const unknown = { originalIdempotencyKey: 'key-of-no-payment' };
  t.match(await faultOf(reverse(unknown)), { kind: 'not_found' });
});

test('a reversal tells and keeps whether it was partial, by whom and why', async (t) => {
  const { authorizationId, reverse } = await approved(newSpender());
  const part = await reverse({ authorizationId, amount: '4.00', reason: 'half is missing' });
  t.has(part, { releasedAmount: '4.00', partial: true });
  const rest = await reverse({ authorizationId, requestedBy: 'prn_other' });
  t.has(rest, { releasedAmount: '6.00', partial: false });
  const { rows } = await ledger.context.stores.live.pool.query(
    `SELECT amount, partial, reason, requested_by AS by FROM reversal
     WHERE authorization_id = $1 ORDER BY amount`,
    [authorizationId],
  );
  t.match(rows, [
    { amount: /^4\.0*$/, partial: true, reason: 'half is missing', by: 'prn_test' },
    { amount: /^6\.0*$/, partial: false, reason: null, by: 'prn_other' },
  ]);
});

test('what is wrong with the amount of a reversal is said', async (t) => {
  const { authorizationId, reverse } = await approved(newSpender());
  for (const [amount, type] of [
    ['0', 'not_positive'],
    ['-1', 'not_decimal'],
    ['1e1', 'not_decimal'],
    ['1.001', 'too_many_decimals'],
    ['10.01', 'exceeds_authorized'],
  ] as const) {
    const { kind, errors } = await faultOf(reverse({ authorizationId, amount }));
    t.match({ kind, errors }, { kind: 'invalid', errors: [{ field: 'amount', type }] }, amount);
  }
});
