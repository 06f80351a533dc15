/** Each limit at its edge, with different usage of the day and of the month. */
import { answerMarkers } from '@countersign/kernel/answer-marker';
import { newId } from '@countersign/kernel/id';
import type { CommitRequest, CommitResponse, Limits } from '@countersign/proto/ledger';
import { t as file, test } from 'tap';
import { callOf, createWorld, newSpender, proposalOf, type Spender } from './fixture.js';

const world = await createWorld(file);
let now = 0;
const ledger = await world.start({ clock: () => now });
const { handlers } = ledger;
const call = callOf(ledger);

function at(time: string): void {
  now = Date.parse(time);
}

function dated(spender: Spender, given: Partial<CommitRequest>): CommitRequest {
  return proposalOf(spender, {
    decidedAt: new Date(now).toISOString(),
    stepUpExpiresAt: new Date(now + 300_000).toISOString(),
    limits: {},
    ...given,
  });
}

function commit(request: CommitRequest): Promise<CommitResponse> {
  return handlers.Commit(request, call);
}

/** 60.00 in two payments on one day of a month, then 30.00 in one payment on the next. */
async function spentOnTwoDays(spender: Spender): Promise<void> {
  at('2027-05-10T12:00:00.000Z');
  for (const amount of ['20.00', '40.00']) await commit(dated(spender, { amount }));
  at('2027-05-11T12:00:00.000Z');
  await commit(dated(spender, { amount: '30.00' }));
}

const spent = {
  ...{ day: '2027-05-11', dailyAmount: '30.00', dailyCount: 1 },
  ...{ month: '2027-05', monthlyAmount: '90.00', monthlyCount: 3 },
};

interface Edge {
  /** Of which a payment of 10.00 uses up the rest. */
  limits: Limits;
  /** The next smaller limit, or the next larger amount. */
  beyond: { limits: Limits } | { amount: string };
  codes: string[];
}

const edges: Edge[] = [
  {
    limits: { dailyAmount: '40.00' },
    beyond: { amount: '10.01' },
    codes: ['DAILY_AMOUNT_EXCEEDED'],
  },
  {
    limits: { monthlyAmount: '100.00' },
    beyond: { amount: '10.01' },
    codes: ['MONTHLY_AMOUNT_EXCEEDED'],
  },
  {
    limits: { dailyAmount: '40.00', monthlyAmount: '100.00' },
    beyond: { amount: '10.01' },
    codes: ['DAILY_AMOUNT_EXCEEDED', 'MONTHLY_AMOUNT_EXCEEDED'],
  },
  {
    limits: { dailyCount: 2 },
    beyond: { limits: { dailyCount: 1 } },
    codes: ['DAILY_COUNT_EXCEEDED'],
  },
  {
    limits: { monthlyCount: 4 },
    beyond: { limits: { monthlyCount: 3 } },
    codes: ['MONTHLY_COUNT_EXCEEDED'],
  },
  {
    limits: { dailyAmount: '40.00', monthlyAmount: '100.00', dailyCount: 2, monthlyCount: 4 },
    beyond: {
      limits: { dailyAmount: '39.99', monthlyAmount: '99.99', dailyCount: 1, monthlyCount: 3 },
    },
    codes: [
      'DAILY_AMOUNT_EXCEEDED',
      'MONTHLY_AMOUNT_EXCEEDED',
      'DAILY_COUNT_EXCEEDED',
      'MONTHLY_COUNT_EXCEEDED',
    ],
  },
];

for (const { limits, beyond, codes } of edges) {
  const name = Object.entries(limits).join(' and ').replaceAll(',', ' ');
  const challenged = { decision: 'STEP_UP', reasonCodes: ['AMOUNT_STEP_UP'] };

  test(`${name}: a payment may use it up, and no more`, async (t) => {
    const spender = newSpender();
    await spentOnTwoDays(spender);
    const refused = await commit(dated(spender, { limits, ...beyond }));
    t.match(refused, { outcome: 'limits_differ', limitCodes: codes });
    t.same(refused.limitCodes, codes);
    t.has(refused.usage, spent);
    t.equal((await commit(dated(spender, { limits }))).outcome, 'recorded');
    t.same((await commit(dated(spender, { limits, amount: '0.01' }))).limitCodes, codes);
  });

  test(`${name}: a decline that names what it exceeds is recorded`, async (t) => {
    const spender = newSpender();
    await spentOnTwoDays(spender);
    const declined = { decision: 'DECLINE', reasonCodes: codes, limitCodes: codes };
    const refused = await commit(dated(spender, { limits, ...beyond, ...declined }));
    t.equal(refused.outcome, 'recorded');
  });

  test(`${name}: a confirmation may use it up, and no more`, async (t) => {
    const spender = newSpender();
    await spentOnTwoDays(spender);
    const [first, second] = [
      dated(spender, { limits, ...challenged }),
      dated(spender, { limits, amount: '0.01', ...challenged }),
    ];
    for (const request of [first, second]) await commit(request);
    const confirm = ({ authorizationId }: CommitRequest) =>
      handlers.ConfirmStepUp({ tenant: spender, authorizationId, confirmedBy: 'prn_test' }, call);
    t.match(await confirm(first), { outcome: 'confirmed' });
    const refused = await confirm(second);
    t.equal(refused.outcome, 'limits_differ');
    t.same(refused.limitCodes, codes);
  });
}

for (const [remaining, limits] of [
  ['5.00 of the day, 2.00 of the month', { dailyAmount: '35.00', monthlyAmount: '92.00' }],
  ['0.00 of the day, 0.00 of the month', { dailyAmount: '20.00', monthlyAmount: '80.00' }],
] as const) {
  test(`an agent and its principal are told ${remaining} remains`, async (t) => {
    const spender = newSpender();
    await spentOnTwoDays(spender);
    const { dailyAmountRemaining, monthlyAmountRemaining } = answerMarkers;
    const detail = `${dailyAmountRemaining} of the day, ${monthlyAmountRemaining} of the month`;
    const codes = ['DAILY_AMOUNT_EXCEEDED', 'MONTHLY_AMOUNT_EXCEEDED'];
    const authorizationId = newId('authorization');
    const request = dated(spender, {
      authorizationId,
      limits,
      decision: 'DECLINE',
      reasonCodes: codes,
      limitCodes: codes,
      eventDataJson: JSON.stringify({ authorizationId, reasonDetail: detail }),
      answerTemplate: `{"decision":"DECLINE","reason_detail":"${detail}"}`,
    });
    const { answerMiddle = '' } = await commit(request);
    t.equal(JSON.parse(answerMiddle).reason_detail, remaining);
    const { rows } = await ledger.context.stores.live.pool.query<{ detail: string }>(
      `SELECT event -> 'data' ->> 'reasonDetail' AS detail
       FROM outbox, json_array_elements(('[' || payload || ']')::json) event
       WHERE event -> 'data' ->> 'authorizationId' = $1`,
      [authorizationId],
    );
    t.same(rows, [{ detail: remaining }]);
  });
}

test('an approval that names the limit which it exceeds is not recorded', async (t) => {
  const spender = newSpender();
  await spentOnTwoDays(spender);
  const limits = { dailyAmount: '39.99' };
  const request = dated(spender, { limits, limitCodes: ['DAILY_AMOUNT_EXCEEDED'] });
  t.match(await commit(request), { outcome: 'limits_differ', answer: undefined });
  const { mandateId } = spender;
  t.has(await handlers.GetUsage({ mandateId }, call), { dailyAmount: '30', dailyCount: 1 });
});

test('what reserves nothing keeps its time, also in a window that has ended', async (t) => {
  const spender = newSpender();
  await spentOnTwoDays(spender);
  const decidedAt = '2027-05-10T23:59:59.999Z';
  at('2027-05-11T00:00:01.000Z');
  for (const given of [
    { decision: 'DECLINE', reasonCodes: ['MCC_BLOCKED'] },
    { decision: 'STEP_UP', reasonCodes: ['AMOUNT_STEP_UP'] },
  ]) {
    const request = dated(spender, { ...given, decidedAt });
    t.equal((await commit(request)).outcome, 'recorded');
    const { authorizationId } = request;
    const entry = await handlers.GetAuthorization({ tenant: spender, authorizationId }, call);
    t.equal(entry.createdAt, decidedAt, 'the time that the answer and its signature name');
  }
  const { mandateId } = spender;
  t.match(await handlers.GetUsage({ mandateId }, call), { day: '2027-05-11', dailyCount: 1 });
});

test('a confirmation counts in the month that it opens', async (t) => {
  const spender = newSpender();
  await spentOnTwoDays(spender);
  const stepUpExpiresAt = '2027-06-02T00:00:00.000Z';
  const challenged = { decision: 'STEP_UP', reasonCodes: ['AMOUNT_STEP_UP'] };
  const challenge = dated(spender, { ...challenged, stepUpExpiresAt });
  await commit(challenge);
  at('2027-06-01T12:00:00.000Z');
  const { authorizationId } = challenge;
  const which = { tenant: spender, authorizationId, confirmedBy: 'prn_test' };
  t.match(await handlers.ConfirmStepUp(which, call), { outcome: 'confirmed' });
  at('2027-06-02T12:00:00.000Z');
  const next = await commit(dated(spender, { limits: { monthlyCount: 1 } }));
  t.same(next.limitCodes, ['MONTHLY_COUNT_EXCEEDED']);
});
