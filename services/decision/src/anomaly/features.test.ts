import { test } from 'tap';
import type { Facts, IntentFacts } from '../facts/shape.js';
import { subjectOf } from '../subject.js';
import { factsWith, type PaymentPatch } from '../test/ordinary-agent.js';
import { features } from './features/index.js';
import type { Likeness } from './likeness.js';
import { anomalyCodes, anomalyScore } from './score.js';

const transfer = {
  chain: 'base',
  asset: 'USDC',
  counterparty: `0x${'a1'.repeat(20)}`,
  fromAddress: null,
  value: '1',
  operation: 'transfer',
};

type Row = [name: string, strength: number, likeness: Partial<Likeness>, payment?: PaymentPatch];

const confident = (confidence: number): PaymentPatch => ({ intentContext: { confidence } });
const considered = (alternativesConsidered: number): PaymentPatch => ({
  intentContext: { alternativesConsidered },
});
const intends = (intentType: string, patch: PaymentPatch = {}): PaymentPatch => ({
  ...patch,
  intentContext: { intentType },
});

const rows: Row[] = [
  ['AMOUNT', 0, { amountZ: 2.5 }],
  ['AMOUNT', 0.5, { amountZ: 4.25 }],
  ['AMOUNT', 1, { amountZ: 60 }],
  ['AMOUNT', 0, { amountZ: -60 }],
  ['MCC', 0.5, { mcc: [0, 19] }],
  ['MCC', 1, { mcc: [0, 20] }],
  ['MCC', 0.5, { mcc: [1, 100] }],
  ['MCC', 0, { mcc: [1, 50] }],
  ['MERCHANT', 0.75, { newMerchant: [25, 100] }],
  ['MERCHANT', 0, { newMerchant: [100, 100] }],
  ['COUNTERPARTY', 0.75, { newMerchant: [25, 100] }, { crypto: transfer }],
  ['COUNTRY', 0.5, { place: [0, 10] }],
  ['COUNTRY', 1, { place: [0, 20] }],
  ['COUNTRY', 0, { place: [1, 200] }],
  ['CHAIN_ASSET', 1, { place: [0, 20] }, { crypto: transfer }],
  ['VELOCITY', 0, { n: 100, pace: [2, 100] }],
  ['VELOCITY', 0.2699, { n: 100, pace: [7, 100] }],
  ['VELOCITY', 1, { n: 100, pace: [12, 100] }],
  ['VELOCITY', 0, { n: 200, pace: [200, 1] }],
  ['HOUR', 0, { n: 192, sameHours: 5 }],
  ['HOUR', 0.8333, { n: 192, sameHours: 0 }],
  ['CONFIDENCE', 0, { confidenceZ: 2 }, confident(0.9)],
  ['CONFIDENCE', 0.5, { confidenceZ: 3.5 }, confident(0.9)],
  ['CONFIDENCE', 1, { confidenceZ: 5 }, confident(0.9)],
  ['CONFIDENCE', 0.6, {}, confident(0.2)],
  ['CONFIDENCE', 0, {}, confident(0.5)],
  ['ALTERNATIVES', 0.5, { alternatives: 4 }, considered(2)],
  ['ALTERNATIVES', 0.5, { alternatives: 2 }, considered(1)],
  ['ALTERNATIVES', 0, { alternatives: 1.5 }, considered(0)],
  ['ALTERNATIVES', 0, { alternatives: 4 }, considered(9)],
  ['REASONING_LENGTH', 0, { reasoningZ: -3 }],
  ['REASONING_LENGTH', 0.5, { reasoningZ: -5 }],
  ['REASONING_LENGTH', 0.5, { reasoningZ: 5 }],
  ['REASONING_REUSE', 1, { reasonReused: true }],
  ['TASK_LOOP', 0, { repeats: 2, taskMerchants: 5 }],
  ['TASK_LOOP', 1, { repeats: 3 }],
  ['TASK_LOOP', 1, { taskMerchants: 6 }],
  ['INJECTION_MARKERS', 1, { markers: ['injection-1', 'DRAIN'] }],
  ['INTENT_MISMATCH', 1, {}, intends('BALANCE_INQUIRY')],
  ['INTENT_MISMATCH', 1, {}, intends('refund_request', { capability: 'PURCHASE' })],
  ['INTENT_MISMATCH', 1, {}, intends('PURCHASE', { capability: 'TRANSFER' })],
  [
    'INTENT_MISMATCH',
    1,
    {},
    intends('TRANSFER', { crypto: { ...transfer, operation: 'approve' } }),
  ],
  [
    'INTENT_MISMATCH',
    1,
    {},
    intends('REFUND_REQUEST', { capability: 'TRANSFER', crypto: transfer }),
  ],
  [
    'INTENT_MISMATCH',
    1,
    {},
    intends('PURCHASE', { capability: 'REFUND_REQUEST', crypto: transfer }),
  ],
  ['INTENT_MISMATCH', 0, {}, intends('TRANSFER', { crypto: transfer })],
  ['INTENT_MISMATCH', 1, {}, { intentContext: { recurrenceNumber: 2 } }],
  ['INTENT_MISMATCH', 0, {}, { intentContext: { recurrenceNumber: 1 } }],
  [
    'INTENT_MISMATCH',
    0,
    {},
    { intentContext: { recurrenceNumber: 2, originalAuthorizationId: 'auth_1' } },
  ],
  ['INTENT_MISMATCH', 0, {}, intends('PURCHASE', { capability: 'PURCHASE' })],
  ['INTENT_MISMATCH', 0, {}, intends('SUBSCRIPTION', { capability: 'PURCHASE' })],
  ['INTENT_MISMATCH', 0, {}, intends('Restock the office', { capability: 'TRANSFER' })],
  ['INTENT_MISMATCH', 0, {}, intends('PURCHASE', { capability: 'TRANSFER', crypto: transfer })],
  [
    'INTENT_MISMATCH',
    0,
    {},
    intends('PURCHASE', { crypto: { ...transfer, operation: 'approve' } }),
  ],
];

for (const [name, expected, likeness, patch = {}] of rows) {
  const what = JSON.stringify({ ...likeness, ...patch });
  test(`${name} is ${expected} of ${what}`, (t) => {
    const active = anomalyScore(factsWith(patch, { n: 100, ...likeness })).features;
    t.strictSame(
      active.map(({ name: feature, strength }) => [feature, strength]),
      expected === 0 ? [] : [[name, expected]],
    );
    t.end();
  });
}

test('no feature triggers alone, and each has a name of its own', (t) => {
  t.ok(features.every(({ weight }) => weight < 0.5));
  t.equal(new Set(features.map(({ name }) => name)).size, 15);
  t.end();
});

const loud: Likeness = { n: 9, markers: ['injection-1', 'DRAIN'], repeats: 3 };

test('without a history only features that need none count, or the score is skipped', (t) => {
  t.match(anomalyScore(factsWith({}, { n: 9 })), { score: 0, skipped: true, triggered: false });
  t.match(anomalyScore(factsWith({}, { n: 9, repeats: 3 })), { score: 0.35, skipped: true });
  t.match(anomalyScore(factsWith({}, loud)), { score: 0.6425, skipped: false, triggered: true });
  t.match(anomalyScore(factsWith({}, { n: 10 })), { score: 0, skipped: false, triggered: false });
  const facts = factsWith({}, loud);
  const tolerant = { ...facts, thresholds: { ...facts.thresholds, intentAnomalyStepUp: 0.9 } };
  t.match(anomalyScore(tolerant), { skipped: false, triggered: false }, 'much counts anyway');
  t.match(
    anomalyScore(factsWith(intends('BALANCE_INQUIRY'), undefined)),
    { score: 0, skipped: true, triggered: false, features: [] },
    'facts recorded before payments were compared',
  );
  t.end();
});

test('shares add up to 1, and a fifth or more makes a feature a risk reason', (t) => {
  const likeness: Likeness = { n: 100, amountZ: 6, newMerchant: [10, 100], mcc: [1, 51] };
  const anomaly = anomalyScore(factsWith({}, likeness));
  const sum = anomaly.features.reduce((total, { share }) => total + share, 0);
  t.ok(Math.abs(sum - 1) < 0.001, `${sum}`);
  t.strictSame(anomalyCodes(anomaly), ['ANOMALY_AMOUNT']);
  t.strictSame(anomalyCodes(anomalyScore(factsWith({}, loud))), [
    'ANOMALY_INJECTION_MARKERS',
    'ANOMALY_TASK_LOOP',
  ]);
  t.strictSame(anomalyCodes(anomalyScore(factsWith({}, { n: 10 }))), []);
  t.end();
});

test('a feature too weak to change the score has no share and is no risk reason', (t) => {
  for (const stated of [0.499_999_999_999_999_94, 0.499_999, 0.4999]) {
    const anomaly = anomalyScore(factsWith(confident(stated), { n: 100 }));
    t.equal(anomaly.score, 0);
    t.ok(anomaly.features.every(({ share }) => share === 1));
    t.strictSame(anomalyCodes(anomaly), [], `${stated}`);
  }
  t.end();
});

type Mode = 'IMMEDIATE' | 'AUTONOMOUS';

function intentOf(mode: Mode, verified = true): IntentFacts {
  const none = { l3Hash: null, issuer: null, subject: null, reference: null, transactionRef: null };
  const evidence = { l1Hash: '', l2Hash: '', ...none };
  return { verified, mode, codes: [], details: [], claim: null, evidence, subjectBinding: null };
}

test('features whose values a human has seen weigh half', (t) => {
  const likeness: Likeness = { ...loud, n: 100, amountZ: 6, place: [0, 20] };
  const facts = factsWith({}, likeness);
  const weights = (intent: Partial<Facts>): unknown =>
    subjectOf({ ...facts, ...intent })?.anomaly.features.map(({ weight }) => weight);
  const usual = [0.45, 0.25, 0.45, 0.35];
  t.strictSame(weights({}), usual);
  t.strictSame(weights({ intent: intentOf('IMMEDIATE') }), [0.225, 0.125, 0.45, 0.35]);
  t.strictSame(weights({ intent: intentOf('AUTONOMOUS') }), usual);
  t.strictSame(weights({ intent: intentOf('IMMEDIATE', false) }), usual);
  const replayed = { intent: intentOf('IMMEDIATE'), intentState: ['VI_REPLAY'] };
  t.strictSame(weights(replayed), usual, 'nor if the ledger has seen it before');
  t.strictSame(
    features.flatMap(({ name, isSeenByHuman }) => (isSeenByHuman ? name : [])),
    ['AMOUNT', 'MCC', 'MERCHANT', 'COUNTERPARTY', 'COUNTRY', 'CHAIN_ASSET'],
  );
  t.end();
});
