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
    velocity: { exceeded: true },
    thresholds: {
      ...{ authorize_min_kya_score: '0.1', cognitive_multiplier_red: '0.5' },
      ...{ velocity_burst_count: '10', velocity_burst_window_seconds: '60' },
    },
  },
  scores: { kya: { score: '0.08' }, zone: 'RED' },
} as unknown as Explanation;

const factOf = (code: string) => reasonFact(code, explanation, 'mnd_2');

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
  const { inputs, ...rest } = explanation;
  const payment = { ...(inputs.payment as object), rail: 'CARD', crypto: null };
  const card = { ...rest, inputs: { ...inputs, payment } };
  const fact = reasonFact('AMOUNT_EXCEEDS_PER_TXN', card, 'mnd_2');
  t.same(fact, { found: '1200.00', bound: 'at most 0.5 of 1000.00' });
  t.end();
});

test('only a zone with a multiplier lowers the limit of a payment', (t) => {
  const amber = { ...explanation, scores: { ...explanation.scores, zone: 'AMBER' } };
  t.equal(
    reasonFact('AMOUNT_EXCEEDS_PER_TXN', amber, 'mnd_2')?.bound,
    'at most 1000.00, at most 50 ETH in a transfer',
  );
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
  const { inputs, ...rest } = explanation;
  const full = { ...rest, inputs: { ...inputs, velocity: undefined } };
  t.match(reasonFact('VELOCITY_BURST', full, 'mnd_2')?.found, /open challenges/);
  t.end();
});

test('a code without figures has none, and none breaks on a record that lacks them', (t) => {
  const bare = { inputs: {}, scores: null } as unknown as Explanation;
  t.equal(factOf('STEP_UP_DENIED'), null);
  t.equal(factOf('OF_A_LATER_RELEASE'), null);
  for (const { code } of reasons) t.doesNotThrow(() => reasonFact(code, bare, null), code);
  t.end();
});
