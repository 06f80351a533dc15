import { randomUUID } from 'node:crypto';
import { until } from '@countersign/runtime/testing';
import t from 'tap';
import { startInstallation } from './contract-proxy.js';
import { patience } from './patience.js';
import { isAuthentic, startReceiver } from './receiver.js';
import { expectStatus, newSpender, newTenant, paymentBody } from './tenant.js';

const receiver = await startReceiver();
const stack = await startInstallation({
  env: {
    WEBHOOK_ALLOWED_HOSTS: receiver.host,
    WEBHOOK_RETRY_BASE_MS: '50',
    RATE_LIMIT_MULTIPLIER: '0',
    ...patience,
  },
  seed: false,
});
t.teardown(async () => {
  await stack.stop();
  await receiver.close();
});
const tenant = await newTenant(stack);

t.test('a payment is approved, recorded, and found in the log', async (t) => {
  const { acting, agentId, mandateId } = await newSpender(stack, tenant);
  const answer = await acting.post(
    '/api/v1/authorize',
    paymentBody(agentId, { client_reference: 'order-1' }),
  );
  t.equal(answer.status, 200);
  t.has(answer.body, {
    decision: 'APPROVE',
    reason_codes: [],
    agent_id: agentId,
    mandate_id: mandateId,
    correlation_key: 'order-1',
    daily_amount_used: '10.00',
    monthly_amount_used: '10.00',
    daily_count_used: 1,
    monthly_count_used: 1,
    kya_score: 0.6225,
    trust_level: 'REGISTERED',
  });
  t.match(answer.headers.get('x-request-id'), /.+/);

  const entry = expectStatus(
    await acting.get(`/api/v1/authorize/log/${answer.body.authorization_id}`),
    200,
  );
  t.has(entry, {
    id: answer.body.authorization_id,
    decision: 'APPROVE',
    amount: '10.00',
    merchant_name: 'Corner Shop',
  });
  const list = expectStatus(await acting.get(`/api/v1/authorize/log/agent/${agentId}`), 200);
  t.equal(list.data.length, 1);
  t.equal(list.data[0].amount, 10);
  t.same(list.pagination, { has_more: false, next_cursor: null, limit: 25 });
});

t.test('one idempotency key has one answer, the same bytes for ever', async (t) => {
  const { acting, agentId } = await newSpender(stack, tenant);
  const body = paymentBody(agentId, { idempotency_key: randomUUID() });
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => acting.post('/api/v1/authorize', body)),
  );
  t.equal(new Set(answers.map((a) => a.text)).size, 1);
  t.equal(answers.filter((a) => a.headers.get('idempotent-replayed') === null).length, 1);
  await stack.restart('ledger');
  await stack.untilReady('ledger');
  const later = await until(async () => {
    const answer = await acting.post('/api/v1/authorize', { ...body, amount: 10 });
    return answer.body.reason_codes[0] !== 'SYSTEM_FAIL_SAFE' && answer;
  });
  t.equal(later.text, answers[0]?.text);
  t.equal(later.headers.get('idempotent-replayed'), 'true');

  const reuse = await acting.post('/api/v1/authorize', { ...body, amount: '11.00' });
  t.equal(reuse.status, 422);
  t.match(reuse.body, {
    error: {
      code: 'VALIDATION_ERROR',
      details: { errors: [{ field: 'idempotency_key', type: 'idempotency_key_reuse' }] },
    },
  });
});

t.test('a daily limit of 200.00 approves exactly twenty of fifty payments at once', async (t) => {
  const { acting, agentId } = await newSpender(stack, tenant, { max_daily_amount: '200.00' });
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => acting.post('/api/v1/authorize', paymentBody(agentId))),
  );
  t.equal(answers.filter((a) => a.body.decision === 'APPROVE').length, 20);
  const declined = answers.filter((a) => a.body.decision === 'DECLINE');
  t.equal(declined.length, 30);
  for (const { body } of declined) {
    t.same(body.reason_codes, ['DAILY_AMOUNT_EXCEEDED']);
    t.equal(body.daily_amount_used, '200.00');
  }
});

t.test('a decline reaches the webhook with a valid signature', async (t) => {
  const { acting, agentId } = await newSpender(stack, tenant);
  const created = expectStatus(
    await acting.post('/api/v1/webhooks', {
      url: receiver.url,
      event_types: ['authorization.decline', 'step_up.created'],
    }),
    201,
  );
  const declined = expectStatus(
    await acting.post('/api/v1/authorize', paymentBody(agentId, { amount: '500.01' })),
    200,
  );
  t.same(declined.reason_codes, ['AMOUNT_EXCEEDS_PER_TXN']);
  const arrived = await until(() =>
    receiver.deliveries.find((d) => d.envelope.data.authorization_id === declined.authorization_id),
  );
  t.ok(isAuthentic(arrived, created.signing_secret));
  t.has(arrived.headers, {
    'x-service-event': 'authorization.decline',
    'x-service-delivery-attempt': '1',
    'user-agent': 'Service-Webhook/1.0',
  });
  t.same(Object.keys(arrived.envelope).sort(), ['data', 'event', 'id', 'timestamp']);
  t.has(arrived.envelope.data, {
    agent_id: agentId,
    decision: 'DECLINE',
    amount: '500.01',
    currency: 'USD',
    reason_codes: ['AMOUNT_EXCEEDS_PER_TXN'],
    reason_detail: declined.reason_detail,
  });

  const stepUp = expectStatus(
    await acting.post('/api/v1/authorize', paymentBody(agentId, { amount: '666.02' })),
    200,
  );
  t.equal(
    stepUp.decision,
    'DECLINE',
    'above the limit of a transaction the trigger changes nothing',
  );
});

t.test('a step-up announces itself', async (t) => {
  const { acting, agentId } = await newSpender(stack, tenant, {
    max_amount_per_transaction: '1000.00',
  });
  const created = expectStatus(
    await acting.post('/api/v1/webhooks', { url: receiver.url, event_types: ['step_up.created'] }),
    201,
  );
  const stepUp = expectStatus(
    await acting.post('/api/v1/authorize', paymentBody(agentId, { amount: '666.02' })),
    200,
  );
  t.has(stepUp, {
    decision: 'STEP_UP',
    reason_codes: ['AMOUNT_STEP_UP'],
    daily_amount_used: '0.00',
  });
  const arrived = await until(() =>
    receiver.deliveries.find((d) => d.envelope.data.authorization_id === stepUp.authorization_id),
  );
  t.equal(arrived.envelope.event, 'step_up.created');
  t.ok(isAuthentic(arrived, created.signing_secret));
});

t.test(
  'with the notifier down during the decline, the event arrives after its restart',
  async (t) => {
    const { acting, agentId } = await newSpender(stack, tenant);
    const created = expectStatus(
      await acting.post('/api/v1/webhooks', { url: receiver.url, event_types: ['*'] }),
      201,
    );
    await stack.stopProcess('notifier');
    const declined = expectStatus(
      await acting.post('/api/v1/authorize', paymentBody(agentId, { amount: '600.00' })),
      200,
    );
    t.equal(declined.decision, 'DECLINE');
    await stack.startProcess('notifier');
    const arrived = await until(
      () =>
        receiver.deliveries.find(
          (d) => d.envelope.data.authorization_id === declined.authorization_id,
        ),
      { timeoutMs: 30_000 },
    );
    t.ok(isAuthentic(arrived, created.signing_secret));
  },
);
