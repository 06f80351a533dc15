import { readFileSync } from 'node:fs';
import { test } from 'tap';
import { exactAmounts, inText } from './amount.js';
import type { PaymentRequest } from './index.js';
import { approved, payment, serve } from './test/service.js';

test('an amount that a number may have changed is not sent', async (t) => {
  const service = await serve(t, () => approved);
  const client = service.client();
  // @ts-expect-error The types accept only text.
  const refusedByType: PaymentRequest = { ...payment, amount: 19.9 };
  for (const amount of [0.1 + 0.2, 19.9, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY]) {
    await t.rejects(client.authorize({ ...refusedByType, amount: amount as never }), {
      name: 'ValidationError',
      fields: [{ field: 'amount', type: 'not_exact' }],
    });
  }
  const outcome = { outcome_type: 'SETTLED', settled_amount: 9.9 } as never;
  await t.rejects(client.outcomes.reportAll([outcome]), {
    name: 'ValidationError',
    fields: [{ field: 'outcomes.0.settled_amount' }],
  });
  t.same(service.received, []);
  await client.authorize({ ...payment, amount: 20 as never, metadata: { amount: 0.5 } });
  t.has(service.received[0]?.body, { amount: '20', metadata: { amount: 0.5 } });
  class Decimal {
    digits = [1, 9, 9];
    toJSON(): string {
      return '19.9';
    }
  }
  await client.authorize({ ...payment, amount: new Decimal() as never });
  t.equal(service.received[1]?.body.amount, '19.9', 'a decimal of a library is its own text');
});

test('the amounts of every call are sent as text', async (t) => {
  const service = await serve(t, () => ({ body: { limits: {} } }));
  const client = service.client();
  const amounts = { step_up_amount_threshold: 50, new_merchant_step_up_amount: 20 };
  await client.thresholds.update(amounts as never);
  const limits = { max_amount_per_transaction: 5, max_daily_amount: 10, max_monthly_amount: 15 };
  const crypto = { chains: ['base'], assets: ['USDC'], max_transfer: 5 };
  await client.onboarding.grantMandate('agt_1', { limits, crypto } as never);
  t.strictSame(
    service.received.map(({ body }) => body),
    [
      { step_up_amount_threshold: '50', new_merchant_step_up_amount: '20' },
      {
        limits: {
          max_amount_per_transaction: '5',
          max_daily_amount: '10',
          max_monthly_amount: '15',
        },
        crypto: { ...crypto, max_transfer: '5' },
      },
    ],
  );
});

interface Schema {
  pattern?: string;
  anyOf?: Schema[];
}

test('every amount that the API takes is known', (t) => {
  const document = readFileSync(new URL('../openapi.json', import.meta.url), 'utf8');
  const isAmount = ({ pattern, anyOf = [] }: Schema): boolean =>
    pattern === '^(0|[1-9]\\d*)(\\.\\d+)?$' || anyOf.some(isAmount);
  const amounts = new Set<string>();
  JSON.parse(document, (key, value) => {
    if (key !== 'properties') return value;
    for (const [name, schema] of Object.entries<Schema>(value)) {
      if (isAmount(schema)) amounts.add(name);
    }
    return value;
  });
  t.ok(amounts.has('amount'));
  for (const name of amounts) t.strictSame(exactAmounts({ [name]: 5 }), { [name]: '5' }, name);
  t.end();
});

test('amounts of a list are decimal text, as they are elsewhere', (t) => {
  const texts = [19.9, 0, 1e-7, 123456789012.34, 1.5e-10].map((amount) =>
    inText({ amount }, 'amount'),
  );
  const expected = ['19.9', '0', '0.0000001', '123456789012.34', '0.00000000015'];
  t.same(
    texts.map(({ amount }) => amount),
    expected,
  );
  t.same(inText({ a: null, b: 2 } as { a: number | null; b: number }, 'a', 'b'), {
    a: null,
    b: '2',
  });
  t.end();
});
