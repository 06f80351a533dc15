/** Chapters "Agent trust level" and "Agent metrics", and other effects of an agent's history. */
import { until } from '@countersign/runtime/testing';
import t from 'tap';
import { startInstallation } from './contract-proxy.js';
import { patience } from './patience.js';
import { startReceiver } from './receiver.js';
import { expectStatus, newSpender, newTenant, paymentBody, type Spender } from './tenant.js';

const receiver = await startReceiver();
const stack = await startInstallation({
  env: { ...patience, RATE_LIMIT_MULTIPLIER: '0', WEBHOOK_ALLOWED_HOSTS: receiver.host },
  seed: false,
});
t.teardown(async () => {
  await stack.stop();
  await receiver.close();
});
const tenant = await newTenant(stack);
const patient = { timeoutMs: 30_000 };

type Fields = Record<string, unknown>;

async function put({ acting }: Spender, body: Fields): Promise<void> {
  expectStatus(await acting.call('PUT', '/api/v1/thresholds', { body }), 200);
}

async function pay({ acting, agentId }: Spender, fields: Fields = {}) {
  return expectStatus(await acting.post('/api/v1/authorize', paymentBody(agentId, fields)), 200);
}

async function agentOf({ acting, agentId }: Spender) {
  return expectStatus(await acting.get(`/api/v1/agents/${agentId}`), 200);
}

async function metricsOf({ acting, agentId }: Spender) {
  return expectStatus(await acting.get(`/api/v1/agents/${agentId}/metrics`), 200);
}

/** A payment is reflected in the profile within a second. */
function learnt(spender: Spender, total: number) {
  return until(async () => {
    const metrics = await metricsOf(spender);
    return metrics.total_transactions === total && metrics;
  }, patient);
}

function atLevel(spender: Spender, level: string) {
  return until(async () => (await agentOf(spender)).trust_level === level, patient);
}

async function reportFraud({ acting }: Spender, authorizationId: string): Promise<number> {
  const body = {
    authorization_id: authorizationId,
    outcome_type: 'CONFIRMED_FRAUD',
    reported_at: new Date().toISOString(),
    reported_by: 'PRINCIPAL',
  };
  return (await acting.post('/api/v1/outcomes', body)).status;
}

const promotionsOf = ({ agentId }: Spender) =>
  receiver.deliveries
    .map(({ envelope }) => envelope)
    .filter(({ event, data }) => event === 'trust.promotion' && data.agent_id === agentId);

/** Two and four payments in a new account; a new agent's score is in the GREEN zone. */
const reachable = {
  verified_min_successful_txns: 2,
  trusted_min_successful_txns: 4,
  verified_min_account_age_hours: 0,
  trusted_min_account_age_hours: 0,
  cts_green_threshold: 0.6,
};

t.test('from REGISTERED to TRUSTED step by step, and back by a confirmed fraud', async (t) => {
  const spender = await newSpender(stack, tenant);
  const { acting, agentId } = spender;
  const hook = { url: receiver.url, event_types: ['trust.promotion'] };
  expectStatus(await acting.post('/api/v1/webhooks', hook), 201);
  await put(spender, reachable);
  const decided = [await pay(spender)];
  t.match(await learnt(spender, 1), {
    trust_level: 'REGISTERED',
    next_trust_level: 'VERIFIED',
    trust_promotion_eligible: false,
    promotion_criteria: {
      successful_transactions: { required: 2, actual: 1, met: false },
      account_age_hours: { required: 0, met: true },
      decline_rate: { required: 0.05, actual: 0, met: true },
      dispute_deflection_rate: { required: 0.8, actual: 1, met: true },
    },
  });
  decided.push(await pay(spender));
  await atLevel(spender, 'VERIFIED');
  decided.push(await pay(spender));
  t.match(await learnt(spender, 3), {
    trust_level: 'VERIFIED',
    next_trust_level: 'TRUSTED',
    trust_promotion_eligible: false,
    promotion_criteria: { successful_transactions: { required: 4, actual: 3, met: false } },
  });
  decided.push(await pay(spender));
  await atLevel(spender, 'TRUSTED');
  t.match(await metricsOf(spender), { next_trust_level: null, trust_promotion_eligible: false });
  await until(() => promotionsOf(spender).length >= 2, patient);
  const byPayment = new Map(
    promotionsOf(spender).map(({ data }) => [data.authorization_id, data.new_trust_level]),
  );
  const ids = decided.map(({ authorization_id }) => authorization_id);
  t.same(
    ids.map((id) => byPayment.get(id)),
    [undefined, 'VERIFIED', undefined, 'TRUSTED'],
    'each with the payment that earned it',
  );
  for (const { data } of promotionsOf(spender)) {
    t.ok(Number(data.kya_score) >= 0.6, `a score of ${data.kya_score}`);
  }
  const trusted = expectStatus(await acting.get('/api/v1/agents?trust_level=TRUSTED'), 200);
  t.same(
    trusted.agents.map(({ id }: Fields) => id),
    [agentId],
  );
  const next = await until(async () => {
    const answer = await pay(spender);
    return answer.trust_level === 'TRUSTED' && answer;
  }, patient);
  t.equal(next.decision, 'APPROVE');

  t.same([await reportFraud(spender, ids[0]), await reportFraud(spender, ids[0])], [201, 200]);
  await atLevel(spender, 'REGISTERED');
  const { total_transactions: before } = await metricsOf(spender);
  // In the CRITICAL zone a quarter of the limit remains, and a human must confirm.
  t.match(await pay(spender, { amount: '20.00' }), { cognitive_limit_multiplier: 0.25 });
  t.match(await learnt(spender, before + 1), {
    trust_level: 'REGISTERED',
    trust_promotion_eligible: false,
    promotion_criteria: { dispute_deflection_rate: { actual: 0, met: false } },
  });
  t.equal(promotionsOf(spender).length, 2, 'one event a step, and none for the fall');
});

t.test('an agent that has not reached what the platform asks stays REGISTERED', async (t) => {
  const spender = await newSpender(stack, tenant);
  const {
    verified_min_account_age_hours: _,
    trusted_min_account_age_hours: __,
    ...rest
  } = reachable;
  await put(spender, rest);
  await pay(spender);
  await pay(spender);
  t.match(await learnt(spender, 2), {
    trust_level: 'REGISTERED',
    trust_promotion_eligible: false,
    promotion_criteria: {
      successful_transactions: { met: true },
      account_age_hours: { required: 168, met: false },
    },
  });
});

t.test('a merchant that was never paid takes a human, once', async (t) => {
  const spender = await newSpender(stack, tenant);
  const { acting } = spender;
  await put(spender, { new_merchant_step_up_amount: '50.00' });
  const large = { amount: '50.00', merchant_name: 'Corner Shop' };
  const asked = await pay(spender, large);
  t.match(asked, { decision: 'STEP_UP', reason_codes: ['NEW_MERCHANT_STEP_UP'] });
  const path = `/api/v1/authorize/step-up/${asked.authorization_id}/confirm`;
  expectStatus(await acting.post(path), 200);
  await until(async () => (await metricsOf(spender)).successful_transactions === 1, patient);
  const again = await pay(spender, { ...large, merchant_name: 'corner shop' });
  t.match(again, { decision: 'APPROVE', reason_codes: [] });
  const other = { ...large, merchant_name: 'Other Shop' };
  t.match(await pay(spender, { ...other, amount: '49.99' }), { decision: 'APPROVE' });
  const explained = await acting.get(`/api/v1/authorize/log/${asked.authorization_id}/explain`);
  t.match(expectStatus(explained, 200), { reproduced: true, inputs: { merchant_known: false } });
});

t.test('a payment unlike those before takes a human, and who asks is told why', async (t) => {
  const spender = await newSpender(stack, tenant, { max_amount_per_transaction: '1000.00' });
  const { acting, agentId } = spender;
  const hook = { url: receiver.url, event_types: ['gate.fired'] };
  expectStatus(await acting.post('/api/v1/webhooks', hook), 201);
  const usual = { mcc: '5411', country: 'USA' };
  for (let task = 1; task <= 12; task += 1) {
    const intentContext = { task_reference: `order-${task}` };
    const fields = { ...usual, amount: `${9 + (task % 3)}.00`, intent_context: intentContext };
    t.match(await pay(spender, fields), { decision: 'APPROVE' });
  }
  await learnt(spender, 12);
  const elsewhere = { ...usual, mcc: '7995', merchant_name: 'Elsewhere', amount: '100.00' };
  const asked = await pay(spender, { ...elsewhere, intent_context: { task_reference: 'order-0' } });
  t.match(asked, {
    decision: 'STEP_UP',
    reason_codes: ['INTENT_ANOMALY_STEP_UP'],
    risk_assessment: { reason_codes: ['INTENT_ANOMALY_STEP_UP', 'ANOMALY_AMOUNT'] },
    intent_anomaly_triggered: true,
    intent_anomaly_skipped: false,
  });
  const fired = await until(
    () =>
      receiver.deliveries.find(
        ({ envelope: { event, data } }) => event === 'gate.fired' && data.agent_id === agentId,
      ),
    patient,
  );
  t.equal(fired.envelope.data.anomaly_score, asked.intent_anomaly_score);
  const explained = await acting.get(`/api/v1/authorize/log/${asked.authorization_id}/explain`);
  t.match(expectStatus(explained, 200), {
    reproduced: true,
    scores: { anomaly: { baseline_size: 12, features: [{ name: 'AMOUNT', weight: 0.45 }] } },
    inputs: { likeness: { n: 12, mcc: [0, 12] } },
  });
});
