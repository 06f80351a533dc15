import { reasons } from '@countersign/kernel/reason';
import { test } from 'tap';
import type { Explanation } from './api/shapes.js';
import { reasonFact } from './reason-facts.js';

const mandate = {
  id: 'mnd_2',
  currency: 'USD',
  max_amount_per_transaction: '1000.00',
  max_daily_amount: '2000.00',
  allowed_countries: ['USA', 'DEU'],
  blocked_mccs: ['7995'],
  allowed_merchants: [],
  crypto: { chains: ['base'], assets: ['USDC'], max_transfer: '50' },
};
const explanation = {
  inputs: {
    decided_at: '2026-11-21T12:00:00.000Z',
    payment: {
      ...{ amount: '1200', currency: 'USD', country: 'FRA', mcc: '7995', rail: 'CRYPTO' },
      crypto: { asset: 'ETH', value: '51' },
    },
    mandates: [{ id: 'mnd_3' }, mandate],
    limits: { usage: { daily_amount: '1500.00', daily_count: '4' } },
    thresholds: {
      ...{ authorize_min_kya_score: '0.1', cognitive_multiplier_red: '0.5' },
      ...{ intent_anomaly_step_up: '0.5', intent_anomaly_decline: '0.95' },
      ...{ velocity_burst_count: '10', velocity_burst_window_seconds: '60' },
    },
  },
  scores: { kya: { score: '0.08' }, anomaly: { score: '0.63' }, zone: 'RED' },
} as unknown as Explanation;

const factOf = (code: string) => reasonFact(code, explanation, 'mnd_2');

/** The same after changes to the recorded facts. */
function factWith(code: string, inputs: Record<string, unknown>, zone = 'RED') {
  const scores = { ...explanation.scores, zone };
  const changed = { ...explanation, inputs: { ...explanation.inputs, ...inputs }, scores };
  return reasonFact(code, changed, 'mnd_2');
}
const paymentOf = (terms: Record<string, unknown>) => ({
  payment: { ...(explanation.inputs.payment as object), ...terms },
});

test('a reason shows what was found and what it would have taken', (t) => {
  t.same(factOf('COUNTRY_NOT_ALLOWED'), { found: 'FRA', bound: 'USA, DEU' });
  t.same(factOf('MCC_BLOCKED'), { found: '7995', bound: 'none of 7995' });
  t.same(factOf('AMOUNT_EXCEEDS_PER_TXN'), {
    found: '1200.00, 51 ETH',
    bound: 'at most 0.5 of 1000.00, at most 0.5 of 50 ETH in a transfer',
  });
  t.same(factOf('DAILY_AMOUNT_EXCEEDED'), {
    found: '1200.00 on top of 1500.00',
    bound: 'at most 2000.00',
  });
  t.same(factOf('KYA_SCORE_BELOW_MINIMUM'), { found: '0.08', bound: 'at least 0.1' });
  t.same(factOf('COGNITIVE_LIMIT_APPLIED'), { found: 'zone RED', bound: '0.5 of the limit' });
  t.same(factOf('VELOCITY_BURST'), { found: 'more within 60 s', bound: 'at most 10' });
  t.same(factOf('AMOUNT_STEP_UP'), { found: '1200.00', bound: 'no sandbox trigger' });
  t.end();
});

test('a card payment is not told the limit of a transfer', (t) => {
  const fact = factWith('AMOUNT_EXCEEDS_PER_TXN', paymentOf({ rail: 'CARD', crypto: null }));
  t.same(fact, { found: '1200.00', bound: 'at most 0.5 of 1000.00' });
  t.end();
});

test('only a zone with a multiplier lowers the limit of a payment', (t) => {
  t.equal(
    factWith('AMOUNT_EXCEEDS_PER_TXN', {}, 'AMBER')?.bound,
    'at most 1000.00, at most 50 ETH in a transfer',
  );
  t.end();
});

test('what counts as the currency has to keep to the smaller of the two limits', (t) => {
  const sent = paymentOf({ amount: '100', crypto: { asset: 'usdc', value: '40' } });
  const factOf = (limit: string) => {
    const mandates = [{ ...mandate, max_amount_per_transaction: limit }];
    return factWith('AMOUNT_EXCEEDS_PER_TXN', { ...sent, mandates }, 'GREEN');
  };
  t.same(factOf('200.00'), { found: '100.00', bound: 'at most 50' });
  t.same(factOf('49.99'), { found: '100.00', bound: 'at most 49.99' });
  t.end();
});

test('a zone of little trust declines an anomaly that others would show to a human', (t) => {
  const factIn = (zone: string) => factWith('INTENT_ANOMALY_DECLINE', {}, zone);
  for (const zone of ['RED', 'CRITICAL']) {
    t.same(factIn(zone), { found: `0.63 in zone ${zone}`, bound: 'below 0.5' });
  }
  t.same(factIn('AMBER'), { found: '0.63', bound: 'below 0.95' });
  t.end();
});

test('an amount below the threshold was shown to a human by the sandbox', (t) => {
  const { thresholds } = explanation.inputs;
  const boundOf = (threshold: string, amount = '666.02') => {
    const set = { ...(thresholds as object), step_up_amount_threshold: threshold };
    return factWith('AMOUNT_STEP_UP', { ...paymentOf({ amount }), thresholds: set })?.bound;
  };
  t.equal(boundOf('1000'), 'no sandbox trigger');
  t.equal(boundOf('666.021'), 'no sandbox trigger');
  t.equal(boundOf('666.02'), 'below 666.02');
  t.equal(boundOf('100', '1200'), 'below 100');
  t.end();
});

/** A state or an event. What a vi_chain lacked is in the sentence that the caller was told. */
const withoutFigures = [
  'AGENT_NOT_FOUND',
  'NO_ACTIVE_MANDATE',
  'FRAUD_SUSPECTED',
  'STEP_UP_CONFIRMED',
  'STEP_UP_DENIED',
  'SYSTEM_FAIL_SAFE',
];

test('every code that is about figures has them', (t) => {
  for (const { code } of reasons.filter(({ code }) => !code.startsWith('VI_'))) {
    const has = factOf(code) !== null;
    t.equal(has, !withoutFigures.includes(code), `${code}: facts or withoutFigures`);
  }
  t.end();
});

test('a challenge too many is no burst of decisions', (t) => {
  const full = { open_challenges_full: true, velocity: { exceeded: true } };
  t.match(factWith('VELOCITY_BURST', full)?.found, /open challenges/);
  t.end();
});

test('a code without figures has none, and none breaks on a record that lacks them', (t) => {
  const bare = { inputs: {}, scores: null } as unknown as Explanation;
  t.equal(factOf('STEP_UP_DENIED'), null);
  t.equal(factOf('OF_A_LATER_RELEASE'), null);
  for (const { code } of reasons) t.doesNotThrow(() => reasonFact(code, bare, null), code);
  t.end();
});
