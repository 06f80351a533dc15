import type { CommitRequest } from '@countersign/proto/ledger';
import root, { test } from 'tap';
import { type PackedScores, packedScores, unpackedScores } from '../record/packed-scores.js';
import { models } from '../record/policy.js';
import type { RecordedScores } from '../record/stored-facts.js';
import { ruleSet } from '../rules/index.js';
import { authorizeRequest, callOptions, newAgentIds, startDecision } from './decision-service.js';
import { spendingFacts } from './fake-identity.js';
import { readObject } from './read-object.js';

const { client, identity, ledger, stop } = await startDecision();
const { Authorize, ExplainAuthorization, PutThresholds } = client.call;
root.teardown(stop);

/** A decision about an agent of whom identity answers as it does, with its record. */
async function decided(ids = newAgentIds(), facts = spendingFacts(ids)) {
  identity.answers = [facts];
  const request = authorizeRequest(ids);
  await Authorize(request, callOptions);
  const { authorizationId = '' } = request;
  const kept = ledger.records.get(authorizationId);
  if (!kept) throw new Error('no record');
  const tenant = { clientId: 'cli_1', principalId: ids.principalId };
  const explained = async () => {
    const asked = { tenant, authorizationId };
    const { explanationJson } = await ExplainAuthorization(asked, callOptions);
    return readObject(explanationJson);
  };
  return { authorizationId, kept, explained };
}

test('an explanation shows inputs, rules and parts of scores from the record', async (t) => {
  const ids = newAgentIds();
  const facts = spendingFacts(ids, { mandate: { allowedMccs: ['5411'] } });
  const { authorizationId, explained } = await decided(ids, facts);
  const explanation = await explained();
  t.match(explanation, {
    authorization_id: authorizationId,
    decision: 'DECLINE',
    counters: { daily_amount_used: '0.00', daily_count_used: 0 },
    judged: true,
    reproduced: true,
    reason_codes: ['MCC_REQUIRED'],
    evaluated_with: { rule_set: ruleSet, models, policy_hash: explanation.policy_hash },
    scores: { kya: { compliance: 0.75 }, risk: { components: { velocity: 0 } }, zone: 'AMBER' },
    inputs: { decided_at: String, payment: { intent_context: { task_reference: 'task-1' } } },
  });
  const rules = explanation.rules as Array<{ rule: string; outcome: string }>;
  const fired = rules.filter(({ outcome }) => outcome === 'FIRED');
  t.strictSame(
    fired.map(({ rule }) => rule),
    ['mcc'],
  );
  t.ok(rules.length >= 20);
});

test('the counters of an explanation are those that the answer told', async (t) => {
  const { kept, explained } = await decided();
  const counters = {
    daily_amount_used: '1.00',
    monthly_amount_used: '2.00',
    daily_count_used: 3,
    monthly_count_used: 4,
  };
  const answer = JSON.stringify({ ...readObject(kept.answer), ...counters });
  Object.assign(kept, { answer });
  t.strictSame((await explained()).counters, counters);
});

test('the policy of today is computed and not copied from the record', async (t) => {
  const { kept, explained } = await decided();
  const policyHash = `sha256:${'0'.repeat(64)}`;
  Object.assign(kept.request, { policyHash });
  const { policy_hash: recorded, evaluated_with } = await explained();
  const today = (evaluated_with as { policy_hash: string }).policy_hash;
  t.equal(recorded, policyHash);
  t.match(today, /^sha256:[0-9a-f]{64}$/);
  t.not(today, recorded);
});

test('a recomputation is compared with every recorded number', async (t) => {
  const ids = newAgentIds();
  const changes: Record<string, (kept: CommitRequest) => Partial<CommitRequest>> = {
    nothing: () => ({}),
    decision: () => ({ decision: 'DECLINE' }),
    reasons: () => ({ reasonCodes: ['MCC_REQUIRED'] }),
    kya: ({ kyaScore }) => ({ kyaScore: kyaScore + 0.01 }),
    risk: ({ riskScore }) => ({ riskScore: riskScore + 0.01 }),
    anomaly: scoresChanged(({ anomaly }) => ({ anomaly: { ...anomaly, score: 0.1 } })),
    'a part of kya': scoresChanged(({ kya }) => ({ kya: kya && { ...kya, compliance: 0.85 } })),
    'a digit of kya': scoresChanged(({ kya }) => ({
      kya: kya && { ...kya, compliance: kya.compliance + 1e-9 },
    })),
    'the noise of a power': scoresChanged(({ kya }) => ({
      kya: kya && { ...kya, compliance: kya.compliance + 2e-16 },
    })),
    'a part of risk': scoresChanged(({ risk }) => ({
      risk: { ...risk, components: { ...risk.components, velocity: 0.1 } },
    })),
    'a part of the anomaly': scoresChanged(({ anomaly }) => ({
      anomaly: { ...anomaly, baselineSize: 1 },
    })),
    zone: scoresChanged(() => ({ zone: 'RED' })),
    facts: ({ factsJson }) => ({ factsJson: factsJson.replace('"10.00"', '"10.01"') }),
  };
  const same = ['nothing', 'the noise of a power'];
  for (const [what, change] of Object.entries(changes)) {
    const { kept, explained } = await decided(ids);
    Object.assign(kept.request, change(kept.request));
    const { reproduced, facts_intact } = await explained();
    t.equal(reproduced, same.includes(what), what);
    t.equal(facts_intact, what !== 'facts', `${what}: the facts are those that were judged`);
  }
});

test('an explanation is of the first decision, whatever a human made of it', async (t) => {
  const ids = newAgentIds();
  const tenant = { clientId: 'cli_1', principalId: ids.principalId };
  await PutThresholds({ tenant, changesJson: '{"step_up_amount_threshold": "5.00"}' }, callOptions);
  const { explained } = await decided(ids);
  ledger.stepUpStatus = 'CONFIRMED';
  t.teardown(() => {
    ledger.stepUpStatus = 'PENDING';
  });
  const first = { decision: 'STEP_UP', reason_codes: ['AMOUNT_STEP_UP'], reproduced: true };
  t.match(await explained(), first);
});

/** A record in which other scores stand. */
function scoresChanged(change: (scores: RecordedScores) => Partial<RecordedScores>) {
  return ({ factsJson }: CommitRequest) => {
    const { facts, scores } = JSON.parse(factsJson) as { facts: object; scores: PackedScores };
    const kept = unpackedScores(scores);
    const changed = packedScores({ ...kept, ...change(kept) });
    return { factsJson: JSON.stringify({ facts, scores: changed }) };
  };
}
