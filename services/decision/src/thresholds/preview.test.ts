import { thresholdTable } from '@countersign/kernel/threshold';
import { test } from 'tap';
import { factsOf } from '../test/facts.js';
import { plannedChange, previewed, summary } from './preview.js';
import { resolveThresholds } from './table.js';

const createdAt = '2026-11-21T09:30:00.000Z';

function inputOf(authorizationId: string) {
  return { authorizationId, amount: '10.00', currency: 'USD', createdAt, factsJson: '' };
}

test('decisions that differ are listed with both outcomes, all are counted', (t) => {
  const change = plannedChange({}, { step_up_amount_threshold: '20.00' });
  const amounts = ['10.00', '30.00', '5000.00'];
  const decisions = amounts.map((amount, index) =>
    previewed(inputOf(`auth_${index}`), factsOf({ facts: { payment: { amount } } }), change),
  );
  const { before, after, changed, ...rest } = summary(decisions, change);
  t.same(rest, {
    fieldsChanged: ['step_up_amount_threshold'],
    notConsidered: [],
    considered: 3,
    oldestAt: createdAt,
    newestAt: createdAt,
  });
  t.same(before, { approve: 2, stepUp: 0, decline: 1 });
  t.same(after, { approve: 1, stepUp: 1, decline: 1 });
  t.match(changed, [
    {
      authorizationId: 'auth_1',
      before: { decision: 'APPROVE', reasonCodes: [] },
      after: { decision: 'STEP_UP', reasonCodes: ['AMOUNT_STEP_UP'] },
    },
    {
      authorizationId: 'auth_2',
      before: { decision: 'DECLINE', reasonCodes: ['AMOUNT_EXCEEDS_PER_TXN'] },
      after: { decision: 'DECLINE', reasonCodes: ['AMOUNT_EXCEEDS_PER_TXN', 'AMOUNT_STEP_UP'] },
    },
  ]);
  t.equal(changed.length, 2, 'a declined payment differs by its reasons alone');
  t.end();
});

test('the present thresholds count, not those that were recorded', (t) => {
  const facts = factsOf({ thresholds: { stepUpAmountThreshold: '1.00' } });
  const change = plannedChange({}, { authorize_min_kya_score: 0.05 });
  t.match(previewed(inputOf('auth_1'), facts, change), {
    before: { decision: 'APPROVE' },
    after: { decision: 'APPROVE' },
  });
  t.end();
});

test('a threshold whose effect the facts cannot show keeps its present value', (t) => {
  const facts = factsOf({ facts: { merchantKnown: false } });
  const change = plannedChange({}, { new_merchant_step_up_amount: '1.00' });
  const decision = previewed(inputOf('auth_1'), facts, change);
  t.match(decision.after, { decision: 'APPROVE' });
  t.match(summary([decision], change), {
    fieldsChanged: ['new_merchant_step_up_amount'],
    notConsidered: ['new_merchant_step_up_amount'],
    changed: { length: 0 },
  });
  t.end();
});

test('every threshold either takes effect in a preview or is named as not considered', (t) => {
  const present = resolveThresholds({});
  for (const row of thresholdTable) {
    const value =
      row.kind === 'amount' ? '9.00' : row.fallback + (row.kind === 'integer' ? 1 : 0.01);
    const { after, notConsidered } = plannedChange({}, { [row.field]: value });
    const isTaken = after[row.key] !== present[row.key];
    t.not(isTaken, notConsidered.includes(row.field), row.field);
  }
  t.end();
});

test('a change that would be refused has no preview', (t) => {
  t.throws(() => plannedChange({}, { cts_red_threshold: 0.5 }), { code: 'VALIDATION_ERROR' });
  t.throws(() => plannedChange({}, {}), { code: 'BAD_REQUEST' });
  t.end();
});

test('no decisions, no times', (t) => {
  const nothing = summary([], plannedChange({}, { authorize_min_kya_score: 0.05 }));
  t.match(nothing, { considered: 0, changed: { length: 0 } });
  t.notOk('oldestAt' in nothing || 'newestAt' in nothing);
  t.end();
});
