import { answerMarkers } from '@countersign/kernel/answer-marker';
import { test } from 'tap';
import type { MandateFacts, UsageFacts } from './facts/shape.js';
import { countersAfter, limitCodesFor } from './simulated-usage.js';
import { factsOf } from './test/facts.js';
import { withRemaining } from './usage.js';

/** Other on the day than in the month, so that none can be taken for the other. */
const usage: UsageFacts = {
  day: '2026-11-21',
  month: '2026-11',
  dailyAmount: '30.00',
  monthlyAmount: '90.00',
  dailyCount: 1,
  monthlyCount: 3,
};
const unlimited = {
  maxDailyAmount: null,
  maxMonthlyAmount: null,
  maxDailyCount: null,
  maxMonthlyCount: null,
};

/** The facts of a payment of 10.00 under a mandate with these limits alone. */
function simulated(limits: Partial<MandateFacts>, payment: object = {}) {
  const facts = factsOf({ facts: { payment }, mandates: [{ ...unlimited, ...limits }] });
  const [mandate] = facts.mandates;
  if (!mandate) throw new Error('the mandate does not cover the payment');
  return { facts, mandate };
}

function codesOf(limits: Partial<MandateFacts>, payment: object = {}): string[] {
  const { facts, mandate } = simulated(limits, payment);
  return limitCodesFor(facts, mandate, usage);
}

test('a simulated payment may use up each limit, and no more', (t) => {
  t.same(codesOf({}), []);
  t.same(codesOf({ maxDailyAmount: '40.00' }), []);
  t.same(codesOf({ maxDailyAmount: '40.00' }, { amount: '10.01' }), ['DAILY_AMOUNT_EXCEEDED']);
  t.same(codesOf({ maxMonthlyAmount: '100.00' }), []);
  t.same(codesOf({ maxMonthlyAmount: '100.00' }, { amount: '10.01' }), ['MONTHLY_AMOUNT_EXCEEDED']);
  t.same(codesOf({ maxDailyCount: 2 }), []);
  t.same(codesOf({ maxDailyCount: 1 }), ['DAILY_COUNT_EXCEEDED']);
  t.same(codesOf({ maxMonthlyCount: 4 }), []);
  t.same(codesOf({ maxMonthlyCount: 3 }), ['MONTHLY_COUNT_EXCEEDED']);
  t.end();
});

test('amounts in another currency than that of the limits are not compared', (t) => {
  const limits = { maxDailyAmount: '1.00', maxDailyCount: 0 };
  t.same(codesOf(limits, { currency: 'EUR' }), []);
  t.end();
});

test('a simulated approval is counted in both windows, other decisions in none', (t) => {
  const { facts, mandate } = simulated({});
  t.same(countersAfter(facts, { mandate, usage, decision: 'APPROVE' }), {
    dailyAmountUsed: '40.00',
    monthlyAmountUsed: '100.00',
    dailyCountUsed: '2',
    monthlyCountUsed: '4',
  });
  for (const decision of ['DECLINE', 'STEP_UP'] as const) {
    t.same(countersAfter(facts, { mandate, usage, decision }), {
      dailyAmountUsed: '30.00',
      monthlyAmountUsed: '90.00',
      dailyCountUsed: '1',
      monthlyCountUsed: '3',
    });
  }
  t.end();
});

test('the remaining amounts are those of their windows, and never negative', (t) => {
  const { dailyAmountRemaining, monthlyAmountRemaining } = answerMarkers;
  const left = (maxDailyAmount: string, maxMonthlyAmount: string): string =>
    withRemaining(
      `${dailyAmountRemaining} a day, ${monthlyAmountRemaining} a month`,
      simulated({ maxDailyAmount, maxMonthlyAmount }).mandate,
      usage,
    );
  t.equal(left('35.00', '92.00'), '5.00 a day, 2.00 a month');
  t.equal(left('20.00', '80.00'), '0.00 a day, 0.00 a month');
  t.end();
});
