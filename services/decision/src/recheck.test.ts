import { test } from 'tap';
import { evaluate } from './evaluate.js';
import { standingRefusals } from './recheck.js';
import { type FactsPatch, factsOf } from './test/facts.js';

function standing(patch: FactsPatch, mandateId = 'mnd_case'): string[] {
  return standingRefusals(factsOf(patch), mandateId).map(({ code }) => code);
}

const token = { chain: 'base', asset: 'USDC', counterparty: '0x1', value: '10' };
const onChain = { payment: { rail: 'CRYPTO', crypto: token } };

const refusals: Array<[category: string, code: string, patch: FactsPatch]> = [
  ['identity', 'AGENT_SUSPENDED', { facts: { agent: { status: 'SUSPENDED' } } }],
  ['identity', 'PRINCIPAL_PROHIBITED', { facts: { principal: { riskTier: 'PROHIBITED' } } }],
  ['mandate', 'CURRENCY_MISMATCH', { facts: { payment: { currency: 'EUR' } } }],
  ['merchant', 'MCC_REQUIRED', { mandates: [{ allowedMccs: ['5411'] }] }],
  ['crypto', 'CHAIN_NOT_ALLOWED', { facts: onChain, mandates: [{ allowedChains: ['solana'] }] }],
  ['limits', 'AMOUNT_EXCEEDS_PER_TXN', { facts: { payment: { amount: '100.01' } } }],
];

test('no human can override a refusal of authority or of its limits', (t) => {
  for (const [category, code, patch] of refusals) t.same(standing(patch), [code], category);
  t.end();
});

test('a human overrides what trust and risk decline', (t) => {
  const risky: FactsPatch = {
    facts: { principal: { riskTier: 'HIGH' } },
    thresholds: { riskScoreStepUp: 0.2, riskScoreHardDecline: 0.3 },
  };
  t.equal(evaluate(factsOf(risky)).decision, 'DECLINE');
  t.same(standing(risky), []);
  t.end();
});

test('a challenge is confirmed under its own mandate alone', (t) => {
  t.same(standing({}), []);
  t.same(standing({}, 'mnd_other'), ['NO_ACTIVE_MANDATE']);
  const ended = { validUntil: '2026-11-21T12:00:00.000Z' };
  t.same(standing({ mandates: [ended] }), ['NO_ACTIVE_MANDATE', 'MANDATE_EXPIRED']);
  t.same(standing({ mandates: [] }), ['NO_ACTIVE_MANDATE']);
  t.end();
});

test('a replaced mandate is named as such, beside every other refusal', (t) => {
  const suspended = factsOf({ facts: { agent: { status: 'SUSPENDED' } } });
  const [status, mandate, ...others] = standingRefusals(suspended, 'mnd_other');
  t.equal(status?.code, 'AGENT_SUSPENDED');
  t.match(mandate, { code: 'NO_ACTIVE_MANDATE', detail: 'mnd_other of this challenge has been' });
  t.match(mandate?.detail, 'replaced by mnd_case');
  t.same(others, []);
  t.end();
});
