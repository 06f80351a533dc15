import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { inReasonOrder, reasonByCode, reasons } from '@countersign/kernel/reason';
import fc from 'fast-check';
import { test } from 'tap';
import { evaluate } from './evaluate.js';
import type { Facts } from './facts/shape.js';
import { rules } from './rules/index.js';
import { effectOf } from './rules/rule.js';
import { casesFolder, type FactsPatch, factsOf } from './test/facts.js';
import type { Verdict } from './verdict.js';

interface Expected {
  decision: string;
  reasonCodes: string[];
  /** Texts that `reason_detail` contains. */
  detail?: string[];
  mandateId?: string | null;
  kyaScore?: number;
  zone?: string | null;
  multiplier?: number;
  riskScore?: number;
  riskReasonCodes?: string[];
  anomalyScore?: number;
  anomalyTriggered?: boolean;
  anomalySkipped?: boolean;
  severity?: string;
  limitCodes?: string[];
  viVerified?: boolean;
}

interface Case extends FactsPatch {
  description: string;
  expected: Expected;
}

const files = readdirSync(casesFolder).filter((file) => file !== 'base.json');
const cases = files.flatMap((file) => {
  const text = readFileSync(new URL(file, casesFolder), 'utf8');
  return (JSON.parse(text) as Case[]).map((one) => ({ ...one, file }));
});

for (const { file, description, expected, ...patch } of cases) {
  test(`${file}: ${description}`, (t) => {
    const verdict = evaluate(factsOf(patch));
    t.equal(verdict.decision, expected.decision);
    t.strictSame(verdict.reasonCodes, expected.reasonCodes);
    t.match(seen(verdict), withoutDetail(expected));
    for (const text of expected.detail ?? []) t.match(verdict.reasonDetail, text);
    t.end();
  });
}

function seen(verdict: Verdict): Omit<Expected, 'detail'> {
  return {
    decision: verdict.decision,
    reasonCodes: verdict.reasonCodes,
    mandateId: verdict.mandate?.id ?? null,
    kyaScore: verdict.kyaScore,
    zone: verdict.zone,
    multiplier: verdict.cognitiveMultiplier,
    riskScore: verdict.risk.score,
    riskReasonCodes: verdict.riskReasonCodes,
    anomalyScore: verdict.anomaly.score,
    anomalyTriggered: verdict.anomaly.triggered,
    anomalySkipped: verdict.anomaly.skipped,
    severity: verdict.highestSeverity,
    limitCodes: verdict.limitCodes,
    viVerified: verdict.viVerified,
  };
}

function withoutDetail({ detail: _, ...rest }: Expected): Omit<Expected, 'detail'> {
  return rest;
}

test('the cases cover every code of every rule, and every rule without a violation', (t) => {
  const fired = new Set(cases.flatMap(({ expected }) => expected.reasonCodes));
  for (const code of rules.flatMap(({ codes }) => codes)) {
    t.ok(fired.has(code), `a case in services/decision/cases expects ${code}`);
  }
  t.ok(cases.some(({ expected }) => expected.decision === 'APPROVE'));
  t.ok(cases.length >= 60, `${cases.length} cases`);
  t.end();
});

test('the rules are in the published order, and each code is published once', (t) => {
  const codes = rules.flatMap((rule) => rule.codes);
  t.strictSame(codes, inReasonOrder(codes));
  t.strictSame(
    codes.filter((code) => !reasonByCode(code)),
    [],
  );
  t.equal(new Set(reasons.map(({ code }) => code)).size, reasons.length);
  t.end();
});

/** Those of the oldest records; never to be extended. */
const oldest = `
  authorizeMinKyaScore authorizeStepUpThreshold ctsGreenThreshold ctsAmberThreshold
  ctsRedThreshold cognitiveMultiplierRed cognitiveMultiplierCritical riskScoreStepUp
  riskScoreHardDecline intentAnomalyStepUp intentAnomalyDecline intentAnomalyMinHistory
  stepUpAmountThreshold newMerchantStepUpAmount velocityBurstCount velocityBurstWindowSeconds
  verifiedMinSuccessfulTxns trustedMinSuccessfulTxns verifiedMinAccountAgeHours
  trustedMinAccountAgeHours verifiedMaxDeclineRate trustedMaxDeclineRate
  verifiedMinDisputeDeflectionRate trustedMinDisputeDeflectionRate`;

test('a threshold that a record lacks, since it is newer, is no reason', (t) => {
  const names = new Set(oldest.trim().split(/\s+/));
  const isOld = ([name]: [string, unknown]): boolean => names.has(name);
  for (const { file, description, expected: _, ...patch } of cases) {
    if (!Object.entries(patch.thresholds ?? {}).every(isOld)) continue;
    const facts = factsOf(patch);
    const recorded = Object.fromEntries(Object.entries(facts.thresholds).filter(isOld));
    const thresholds = recorded as unknown as Facts['thresholds'];
    const { reasonCodes } = evaluate({ ...facts, thresholds });
    t.strictSame(reasonCodes, evaluate(facts).reasonCodes, `${file}: ${description}`);
  }
  t.end();
});

const word = fc.constantFrom('5411', '7995', 'USA', 'FRA', 'base', 'USDC', 'm-1', 'a');
const words = fc.uniqueArray(word, { maxLength: 2 });
const amount = fc.constantFrom('1.00', '10.00', '60.00', '100.01', '666.01', '666.02', '666.03');

const anyPatch: fc.Arbitrary<FactsPatch> = fc.record({
  facts: fc.record({
    environment: fc.constantFrom('live', 'sandbox'),
    agent: fc.record({
      status: fc.constantFrom('ACTIVE', 'SUSPENDED', 'REVOKED'),
      capabilities: words,
      keyRegistered: fc.boolean(),
    }),
    principal: fc.record({
      verificationStatus: fc.constantFrom('VERIFIED', 'PENDING'),
      riskTier: fc.constantFrom('LOW', 'MEDIUM', 'HIGH', 'PROHIBITED'),
    }),
    program: fc.record({ status: fc.constantFrom('ACTIVE', 'PAUSED') }),
    payment: fc.record({
      amount,
      currency: fc.constantFrom('USD', 'EUR'),
      rail: fc.constantFrom('CARD', 'CRYPTO'),
      mcc: fc.option(word),
      country: fc.option(word),
      merchantId: fc.option(word),
      capability: fc.option(word),
      crypto: fc.option(fc.record({ chain: word, asset: word, counterparty: word, value: amount })),
    }),
    velocity: fc.constantFrom(
      { exceeded: false },
      { exceeded: true, againAt: '2026-11-21T12:00:42.000Z' },
    ),
    limits: fc.record({
      codes: fc.subarray([
        'DAILY_AMOUNT_EXCEEDED',
        'MONTHLY_AMOUNT_EXCEEDED',
        'DAILY_COUNT_EXCEEDED',
        'MONTHLY_COUNT_EXCEEDED',
      ]),
    }),
  }),
  mandates: fc.array(
    fc.record({
      rails: fc.constantFrom(['card'], ['crypto'], ['card', 'crypto']),
      allowedMccs: words,
      blockedMccs: words,
      allowedCountries: words,
      blockedCountries: words,
      allowedMerchants: words,
      blockedMerchants: words,
      allowedChains: words,
      allowedAssets: words,
      allowedCounterparties: words,
      validUntil: fc.constantFrom('2026-11-20T00:00:00.000Z', '2027-01-01T00:00:00.000Z'),
    }),
    { maxLength: 3 },
  ),
  thresholds: fc.record({
    stepUpAmountThreshold: fc.constantFrom(null, '50'),
    riskScoreStepUp: fc.constantFrom(0.1, 0.6),
    riskScoreHardDecline: fc.constantFrom(0.7, 0.85),
  }),
  past: fc.record({
    decayed: fc.record({
      complianceBad: fc.integer({ min: 0, max: 300 }),
      complianceGood: fc.integer({ min: 0, max: 300 }),
      outcomeBad: fc.integer({ min: 0, max: 40 }),
    }),
  }),
});

test('for any facts, codes are unique and in published order, and the strictest decides', (t) => {
  fc.assert(
    fc.property(anyPatch, (patch) => {
      const facts = factsOf(patch);
      const verdict = evaluate(facts);
      const effects = verdict.reasonCodes.map(effectOf);
      const strictest = effects.includes('DECLINE') ? 'DECLINE' : (effects[0] ?? 'APPROVE');
      assert.deepEqual(verdict.reasonCodes, inReasonOrder(verdict.reasonCodes));
      assert.equal(verdict.decision, strictest);
      assert.ok(verdict.limitCodes.every((code) => facts.limits.codes.includes(code)));
      assert.deepEqual(evaluate(JSON.parse(JSON.stringify(facts))), verdict);
    }),
    { numRuns: 2_000 },
  );
  t.end();
});
