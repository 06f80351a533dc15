import { canonicalHash, canonicalJson } from '@countersign/kernel/canonical';
import { test } from 'tap';
import { canonicalFacts } from './facts-text.js';
import { policyHash } from './policy.js';
import { ruleSet } from './rules/index.js';
import { anomalyModel } from './scores/anomaly.js';
import { kyaModel } from './scores/kya.js';
import { riskModel } from './scores/risk.js';
import { factsOf } from './test/facts.js';

test('facts are spelled as RFC 8785 has it, the first time and from memory', async (t) => {
  const facts = factsOf({});
  const nobody = { ...facts, agent: null, principal: null, program: null, mandates: [] };
  const full = { ...facts, openChallengesFull: true as const };
  for (const each of [facts, facts, nobody, full]) {
    t.equal(canonicalFacts(each), canonicalJson(each));
  }
});

test('the policy hash is over the canonical JSON of all of its parts', async (t) => {
  const { thresholds, mandates } = factsOf({});
  const [mandate = null] = mandates;
  const models = { kya: kyaModel, anomaly: anomalyModel, risk: riskModel };
  for (const each of [mandate, null]) {
    const mandateHash = each?.mandateHash ?? null;
    const expected = canonicalHash({ ruleSet, models, thresholds, mandateHash });
    t.equal(policyHash({ thresholds, mandate: each }), `sha256:${expected}`);
  }
});
