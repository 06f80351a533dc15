import { test } from 'tap';
import { emptyState, type MarkKind, type ProfileState } from '../profile/state.js';
import { defaultThresholds } from '../thresholds/table.js';
import { dayMs } from './decay.js';
import { type KyaInput, kyaScore } from './kya.js';
import { riskScore } from './risk.js';
import { noisyOr, roundScore } from './rounding.js';
import { zoneOf } from './zone.js';

const now = Date.parse('2026-11-21T12:00:00.000Z');
const hour = 3_600_000;

interface Past {
  clean?: number;
  settled?: number;
  violations?: number;
  /** Number of payments with an anomaly score, and the mean of these scores. */
  compared?: number;
  anomaly?: number;
  fraudDaysAgo?: number;
}

function stateOf(past: Past): ProfileState {
  const { clean = 0, settled = 0, violations = 0, compared = 0, anomaly = 0 } = past;
  const agentCreatedAt = new Date(now).toISOString();
  const seen = { trustLevel: 'REGISTERED', agentCreatedAt, principalVerified: true };
  const state = emptyState(now, { ...seen, keyRegistered: true });
  Object.assign(state.decayed, {
    complianceGood: clean,
    complianceBad: violations,
    outcomeGood: settled,
    consistencyCount: compared,
    consistencySum: compared * (1 - anomaly),
  });
  Object.assign(state.totals, { approved: clean, successful: clean });
  if (past.fraudDaysAgo !== undefined) {
    state.marks.fraud = [{ authorizationId: 'auth_1', at: now - past.fraudDaysAgo * dayMs }];
  }
  return state;
}

function scoreOf(past: Past | null, ageHours: number, more: Partial<KyaInput> = {}): number {
  return kyaScore({
    state: past && stateOf(past),
    principalVerified: true,
    keyRegistered: true,
    agentCreatedAt: new Date(now - ageHours * hour).toISOString(),
    now,
    ...more,
  }).score;
}

test('an agent without history has the score of the prior', (t) => {
  t.equal(scoreOf(null, 0, { keyRegistered: false }), 0.6225);
  t.equal(scoreOf(null, 0), 0.6488);
  t.equal(scoreOf(null, 0, { keyRegistered: false, principalVerified: false }), 0.6);
  const verified = stateOf({});
  verified.decayed.approvals = 1;
  verified.decayed.verifiedApprovals = 1;
  const withoutPast = { ...verified, totals: { ...verified.totals } };
  t.equal(scoreOf(null, 0, { state: withoutPast }), 0.675);
  t.equal(zoneOf(scoreOf(null, 0), defaultThresholds), 'AMBER');
  t.end();
});

test('reference points of the model at twenty payments a day', (t) => {
  const points: Array<[name: string, past: Past, reference: number]> = [
    ['10 clean', { clean: 10, settled: 10 }, 0.753],
    ['50 clean, 30 settled', { clean: 50, settled: 30, compared: 40, anomaly: 0.05 }, 0.857],
    ['500 clean', { clean: 500, settled: 500, compared: 490, anomaly: 0.05 }, 0.943],
  ];
  for (const [name, past, reference] of points) {
    const score = scoreOf(past, ((past.clean ?? 0) / 20) * 24);
    t.ok(Math.abs(score - reference) <= 0.005, `${name}: ${score}, reference ${reference}`);
  }
  t.end();
});

test('reference points of violations among 500 payments', (t) => {
  const points: Array<[share: number, reference: number]> = [
    [0.02, 0.865],
    [0.1, 0.76],
    [0.2, 0.661],
    [0.4, 0.496],
    [0.6, 0.38],
  ];
  for (const [share, reference] of points) {
    const clean = 500 * (1 - share);
    // An agent without a key, with payments of 0.8 of the full merit, a third of them settled.
    const state = stateOf({ clean, settled: clean * 0.3, violations: 500 * share });
    state.decayed.complianceGood = clean * 0.8;
    state.decayed.consistencyCount = clean;
    state.decayed.consistencySum = clean * 0.95;
    const score = scoreOf(null, 600, { state, keyRegistered: false });
    t.ok(Math.abs(score - reference) <= 0.01, `${share}: ${score}, reference ${reference}`);
  }
  t.end();
});

test('an agent in a loop falls to RED, one with a hundred violations to CRITICAL', (t) => {
  const runaway = { clean: 10, violations: 30, compared: 40, anomaly: 0.5 };
  t.equal(zoneOf(scoreOf(runaway, 24), defaultThresholds), 'RED');
  t.equal(zoneOf(scoreOf({ violations: 100 }, 24), defaultThresholds), 'CRITICAL');
  t.end();
});

test('one confirmed fraud caps even a perfect score for ninety days', (t) => {
  t.equal(scoreOf({ clean: 500, settled: 500, fraudDaysAgo: 89 }, 720), 0.19);
  t.ok(scoreOf({ clean: 500, settled: 500, fraudDaysAgo: 91 }, 720) > 0.7);
  t.end();
});

/** The score of a good agent with one mark for each of the ages, in milliseconds. */
function marked(kind: MarkKind, ...ages: number[]): number {
  const good = stateOf({ clean: 500, settled: 500 });
  const list = ages.map((age) => ({ authorizationId: '', at: now - age }));
  return scoreOf(null, 720, { state: { ...good, marks: { ...good.marks, [kind]: list } } });
}

test('chargebacks and failed agent keys cap the score by number and age', (t) => {
  t.equal(marked('chargeback', dayMs), 0.69);
  t.equal(marked('chargeback', dayMs, 2 * dayMs), 0.69);
  t.equal(marked('chargeback', dayMs, 2 * dayMs, 3 * dayMs), 0.39);
  t.ok(marked('chargeback', 31 * dayMs, 32 * dayMs, 33 * dayMs) > 0.8);
  t.equal(marked('keyFailure', hour, 2 * hour, 3 * hour), 0.39);
  t.ok(marked('keyFailure', hour, 2 * hour) > 0.8);
  t.ok(marked('keyFailure', hour, 2 * hour, 25 * hour) > 0.8);
  t.end();
});

test('a cap ends to the millisecond', (t) => {
  const caps: Array<[kind: MarkKind, days: number, number: number, limit: number]> = [
    ['fraud', 90, 1, 0.19],
    ['unauthorized', 30, 1, 0.39],
    ['chargeback', 30, 1, 0.69],
    ['chargeback', 30, 3, 0.39],
    ['keyFailure', 1, 3, 0.39],
  ];
  for (const [kind, days, number, limit] of caps) {
    const all = (age: number): number => marked(kind, ...Array<number>(number).fill(age));
    t.equal(all(days * dayMs - 1), limit, `${number} ${kind}`);
    t.ok(all(days * dayMs) > 0.8, `${number} ${kind}, ${days} days later`);
  }
  t.end();
});

test('more than one chargeback in a hundred payments caps the score', (t) => {
  const rated = (chargebacks: number, chargeable: number): number => {
    const state = stateOf({ clean: 500, settled: 500 });
    Object.assign(state.decayed, { chargebacks, chargeable });
    return scoreOf(null, 720, { state });
  };
  t.equal(rated(1.01, 100), 0.39);
  t.ok(rated(1, 100) > 0.8, 'exactly one in a hundred');
  t.ok(rated(50, 99.99) > 0.8, 'too few payments for a rate');
  t.end();
});

test('a score falls immediately and rises by at most 0.05 a day', (t) => {
  const risen = stateOf({ clean: 500, settled: 500 });
  risen.score = { value: 0.4, at: now - 2 * dayMs };
  t.equal(scoreOf(null, 720, { state: risen }), 0.5);
  risen.score = { value: 0.4, at: now + 2 * dayMs };
  t.equal(scoreOf(null, 720, { state: risen }), 0.4, 'by a clock that was ahead');
  const fallen = stateOf({ violations: 100 });
  fallen.score = { value: 0.9, at: now };
  t.ok(scoreOf(null, 720, { state: fallen }) < 0.2);
  t.end();
});

test('a counter halves with each half-life', (t) => {
  const state = stateOf({ violations: 10 });
  const fresh = kyaScore({ ...input(state), now });
  const later = kyaScore({ ...input(state), now: now + 30 * dayMs });
  t.ok(Math.abs(fresh.compliance - 6 / 48) < 1e-12);
  t.ok(Math.abs(later.compliance - 6 / 28) < 1e-12);
  t.end();
});

function input(state: ProfileState): Omit<KyaInput, 'now'> {
  const { agentCreatedAt } = state.seen;
  return { state, principalVerified: true, keyRegistered: true, agentCreatedAt };
}

test('scores are rounded half to even, and floating-point noise does not matter', (t) => {
  t.equal(roundScore(0.64875), 0.6488);
  t.equal(roundScore(0.75 * 0.865), 0.6488);
  t.equal(roundScore(0.62245), 0.6224);
  t.equal(roundScore(0.62255), 0.6226);
  t.equal(roundScore(0.1 + 0.2), 0.3);
  t.end();
});

test('the risk score does not depend on the order of its sources', (t) => {
  const calm = {
    anomalyScore: 0,
    kyaScore: 1,
    velocityIndicator: false,
    intentChainFailed: false,
    riskTier: 'LOW',
  };
  t.match(riskScore(calm), { score: 0, condition: 'CLEAN' });
  t.match(riskScore({ ...calm, kyaScore: 0 }), { score: 0.5, condition: 'ELEVATED' });
  t.match(riskScore({ ...calm, velocityIndicator: true, intentChainFailed: true }), {
    score: 0.7,
    condition: 'HIGH',
  });
  t.match(riskScore({ ...calm, anomalyScore: 1, kyaScore: 0, riskTier: 'HIGH' }), {
    score: 0.925,
    condition: 'SEVERE',
  });
  t.equal(noisyOr([0.2, 0.5]), noisyOr([0.5, 0.2]));
  t.end();
});
