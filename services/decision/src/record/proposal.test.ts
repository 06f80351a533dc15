import { sha256Hex } from '@countersign/kernel/canonical';
import type { CommitRequestInput } from '@countersign/proto/ledger';
import { test } from 'tap';
import { evaluate } from '../evaluate.js';
import { merchantKey } from '../facts/merchant-key.js';
import { type FactsPatch, factsOf } from '../test/facts.js';
import { proposalOf, seenVersions } from './proposal.js';
import { recordedEventData } from './recorded-event.js';

const versions: FactsPatch['facts'] = {
  agent: { version: 2 },
  principal: { version: 3 },
  program: { version: 4 },
};

function proposed({ facts = {}, mandates = [{}], ...patch }: FactsPatch): CommitRequestInput {
  const given = factsOf({ facts: { ...versions, ...facts }, mandates, ...patch });
  const context = {
    principalId: 'prn_case',
    signed: null,
    processingTimeMs: 1,
    stepUpWindowSeconds: 300,
    epoch: '',
    isKept: () => false,
  };
  return proposalOf(given, evaluate(given), context).message;
}

const limits = {
  maxDailyAmount: '20.00',
  maxMonthlyAmount: '30.00',
  maxDailyCount: 4,
  maxMonthlyCount: 5,
};

test('the ledger is told the limits of the mandate that was used', (t) => {
  const expected = {
    dailyAmount: '20.00',
    monthlyAmount: '30.00',
    dailyCount: 4,
    monthlyCount: 5,
  };
  const { mandateId, ...message } = proposed({ mandates: [{ id: 'mnd_used', ...limits }, {}] });
  t.equal(mandateId, 'mnd_used');
  t.same(message.limits, expected);
  const none = { maxDailyAmount: null, maxMonthlyAmount: null, maxDailyCount: null };
  const unlimited = proposed({ mandates: [{ ...none, maxMonthlyCount: null }] });
  for (const limit of Object.values(unlimited.limits ?? {})) t.equal(limit, undefined);
  const declined = proposed({ mandates: [limits], facts: { payment: { currency: 'EUR' } } });
  t.same([declined.decision, declined.limits], ['DECLINE', {}], 'amounts cannot be compared');
  t.end();
});

test('the ledger is told the version of everything that the verdict depends on', (t) => {
  const others = [
    { entityId: 'agt_case', version: 2 },
    { entityId: 'prn_case', version: 3 },
    { entityId: 'prg_case', version: 4 },
  ];
  const used = proposed({ mandates: [{ id: 'mnd_used', version: 5 }] });
  t.same(used.seen, [...others, { entityId: 'mnd_used', version: 5 }]);
  const expired = { id: 'mnd_ended', version: 6, validUntil: '2026-11-20T00:00:00.000Z' };
  const unused = proposed({ mandates: [expired] });
  t.equal(unused.mandateId, undefined);
  t.same(unused.seen, [...others, { entityId: 'mnd_ended', version: 6 }], 'or the newest mandate');
  const facts = factsOf({ facts: versions });
  t.same(seenVersions(facts, null), others);
  t.end();
});

test('only a challenge expires, and after its window', (t) => {
  const needed = { stepUpAmountThreshold: '10' };
  const challenge = proposed({ thresholds: needed });
  t.match(challenge, { decision: 'STEP_UP', stepUpExpiresAt: '2026-11-21T12:05:00.000Z' });
  t.match(proposed({}), { decision: 'APPROVE', stepUpExpiresAt: undefined });
  t.end();
});

test('profiles and webhooks are told the decision and what it was made from', (t) => {
  const told = (patch: object, stepUpExpiresAt: string | null = null) => {
    const facts = factsOf({ facts: patch });
    return recordedEventData(facts, evaluate(facts), { processingTimeMs: 2, stepUpExpiresAt });
  };
  const { payment } = factsOf({});
  const verdict = evaluate(factsOf({}));
  t.strictSame(told({ agent: { keyRegistered: true } }, 'later'), {
    authorizationId: 'auth_case',
    agentId: 'agt_case',
    mandateId: 'mnd_case',
    programId: 'prg_case',
    decision: 'APPROVE',
    reasonCodes: [],
    reasonDetail: verdict.reasonDetail,
    amount: '10.00',
    currency: 'USD',
    rail: 'CARD',
    processingTimeMs: 2,
    kyaScore: evaluate(factsOf({ facts: { agent: { keyRegistered: true } } })).kyaScore,
    zone: verdict.zone,
    cognitiveLimitMultiplier: verdict.cognitiveMultiplier,
    intentAnomalyScore: 0,
    intentAnomalyTriggered: false,
    stepUpExpiresAt: 'later',
    learning: {
      trustLevel: 'REGISTERED',
      agentCreatedAt: '2026-11-01T12:00:00.000Z',
      principalVerified: true,
      keyRegistered: true,
      maxAmountPerTransaction: '100.00',
      merchant: merchantKey(payment),
      viVerified: false,
      anomalySkipped: true,
      trace: { task: sha256Hex('task-1').slice(0, 13) },
    },
  });
  t.match(told({ principal: { verificationStatus: 'PENDING' } }), {
    decision: 'DECLINE',
    learning: { principalVerified: false, keyRegistered: false },
  });
  t.match(told({ program: { fraudTriage: true } }).triage, { riskScore: verdict.risk.score });
  const unknown = told({ agent: null, principal: null, program: null });
  const { agentId, mandateId, programId } = unknown;
  t.strictSame([agentId, mandateId, programId], ['agt_case', null, null]);
  t.notOk('learning' in unknown, 'it may be an agent of somebody else');
  t.end();
});
