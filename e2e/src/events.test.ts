/** Chapter "Events": every type that can be caused, envelope, headers, retries, activity. */
import { until } from '@countersign/runtime/testing';
import t from 'tap';
import { api } from './api.js';
import { startInstallation } from './contract-proxy.js';
import { patience } from './patience.js';
import { hangUp, isAuthentic, startReceiver } from './receiver.js';
import {
  expectStatus,
  newSpender,
  newTenant,
  operator,
  paymentBody,
  type Spender,
} from './tenant.js';

const retryBaseMs = 30;
// One per test that counts deliveries, so that tests do not see each other's.
const receivers = await Promise.all(Array.from({ length: 7 }, () => startReceiver()));
const stack = await startInstallation({
  env: {
    ...patience,
    RATE_LIMIT_MULTIPLIER: '0',
    WEBHOOK_ALLOWED_HOSTS: receivers.map(({ host }) => host).join(','),
    WEBHOOK_RETRY_BASE_MS: String(retryBaseMs),
  },
  seed: false,
});
t.teardown(async () => {
  await stack.stop();
  await Promise.all(receivers.map((receiver) => receiver.close()));
});
const tenant = await newTenant(stack);
const patient = { timeoutMs: 30_000 };

type Fields = Record<string, unknown>;

function receiverOf(index: number) {
  const receiver = receivers[index];
  if (!receiver) throw new Error(`there is no receiver ${index}`);
  return receiver;
}

async function register({ acting }: Spender, fields: Fields) {
  return expectStatus(await acting.post('/api/v1/webhooks', fields), 201);
}

async function decide({ acting, agentId }: Spender, amount: string) {
  return expectStatus(
    await acting.post('/api/v1/authorize', paymentBody(agentId, { amount })),
    200,
  );
}

const base = [
  'agent_id',
  'amount',
  'authorization_id',
  'currency',
  'decision',
  'processing_time_ms',
];
const documented: Record<string, string[]> = {
  'authorization.decline': [...base, 'reason_codes', 'reason_detail'],
  'step_up.created': [...base, 'reason_codes', 'reason_detail'],
  'gate.fired': [...base, 'anomaly_score'],
  'kya.zone.red': [...base, 'cognitive_limit_multiplier', 'zone'],
  'kya.zone.critical': [...base, 'cognitive_limit_multiplier', 'zone'],
  'session.terminate': [...base, 'cognitive_limit_multiplier', 'reason'],
  'trust.promotion': ['agent_id', 'authorization_id', 'kya_score', 'new_trust_level'],
};

t.test('the catalog names every event with a sample of its fields', async (t) => {
  const catalog = expectStatus(await api(stack.baseUrl).get('/api/v1/webhooks/events'), 200);
  t.equal(catalog.wildcard, '*');
  const types = new Map<string, Fields>(
    catalog.event_types.map((each: Fields) => [each.type, each.sample_payload]),
  );
  for (const [type, fields] of Object.entries(documented)) {
    const sample = types.get(type);
    t.equal(sample?.event, type);
    t.same(Object.keys((sample?.data ?? {}) as Fields).sort(), [...fields].sort(), type);
  }
  for (const type of [
    'fraud.triage.suspected_created',
    'fraud.triage.resolved',
    'fraud.pattern.agto_suspected',
  ]) {
    t.ok(types.has(type), type);
  }
});

t.test('what each decision announces', async (t) => {
  const receiver = receiverOf(0);
  const spender = await newSpender(stack, tenant, { max_amount_per_transaction: '1000.00' });
  const put = (body: Fields) => spender.acting.call('PUT', '/api/v1/thresholds', { body });
  const hook = await register(spender, { url: receiver.url, event_types: ['*'] });
  const caused = new Map<string, string[]>();
  const cause = async (amount: string, events: string[]) => {
    caused.set((await decide(spender, amount)).authorization_id, events);
  };
  await cause('10.00', []);
  await cause('1000.01', ['authorization.decline']);
  await cause('666.02', ['step_up.created']);
  await cause('666.03', ['gate.fired', 'step_up.created']);
  const red = { cts_green_threshold: 0.98, cts_amber_threshold: 0.97, cts_red_threshold: 0.05 };
  expectStatus(await put(red), 200);
  await cause('11.00', ['kya.zone.red']);
  await cause('12.00', ['kya.zone.red']);
  expectStatus(await put({ cts_red_threshold: 0.96 }), 200);
  await cause('13.00', ['kya.zone.critical', 'session.terminate']);
  const of = (id: string) =>
    receiver.deliveries.filter(({ envelope }) => envelope.data.authorization_id === id);
  for (const [id, events] of caused) {
    await until(() => of(id).length >= events.length, patient);
    t.same(
      of(id)
        .map((each) => each.envelope.event)
        .sort(),
      events,
      events.join(),
    );
  }
  const zones: Fields = { 'kya.zone.red': [0.5, 'RED'], 'kya.zone.critical': [0.25, 'CRITICAL'] };
  for (const delivered of receiver.deliveries) {
    const { envelope, headers, raw } = delivered;
    t.same(Object.keys(envelope).sort(), ['data', 'event', 'id', 'timestamp'], envelope.event);
    t.match(envelope.id, /^evt_[0-9a-z]{26}$/);
    t.same(Object.keys(envelope.data).sort(), [...(documented[envelope.event] ?? [])].sort());
    t.ok(isAuthentic(delivered, hook.signing_secret), 'signed');
    t.notOk(isAuthentic({ ...delivered, raw: `${raw} ` }, hook.signing_secret));
    t.match(headers['content-type'], /^application\/json/);
    t.equal(headers['x-service-event'], envelope.event);
    t.equal(headers['x-service-delivery-attempt'], '1');
    t.equal(headers['user-agent'], 'Service-Webhook/1.0');
    t.match(envelope.data.amount, /^\d+\.\d\d$/);
    const { cognitive_limit_multiplier: multiplier, zone } = envelope.data;
    const expected = zones[envelope.event];
    if (expected) t.same([multiplier, zone], expected);
  }
  const ids = new Set(receiver.deliveries.map((each) => each.envelope.id));
  t.equal(ids.size, [...caused.values()].flat().length, 'each event has an id of its own');
});

t.test('a test delivery is the sample, marked', async (t) => {
  const receiver = receiverOf(1);
  const spender = await newSpender(stack, tenant);
  const { acting } = spender;
  const { webhook, signing_secret } = await register(spender, {
    url: receiver.url,
    event_types: ['*'],
  });
  const path = `/api/v1/webhooks/${webhook.id}/test`;
  for (const type of ['', ...Object.keys(documented)]) {
    const before = receiver.deliveries.length;
    const answer = await acting.post(type === '' ? path : `${path}?event_type=${type}`);
    const event = type || 'gate.fired';
    t.match(expectStatus(answer, 200), { status: 'sent', event_type: event, message: String });
    const delivered = await until(() => receiver.deliveries[before], patient);
    t.equal(delivered.envelope.event, event);
    t.equal(delivered.envelope.data.test, true);
    t.ok(isAuthentic(delivered, signing_secret));
  }
  t.equal((await acting.post(`${path}?event_type=no.such`)).status, 422);
  t.equal((await acting.post(`${path}?event_type=*`)).status, 422);
  const off = { body: { active: false } };
  expectStatus(await acting.call('PATCH', `/api/v1/webhooks/${webhook.id}`, off), 200);
  t.equal((await acting.post(path)).status, 400, 'an inactive webhook is not tested');
  const failing = await operator(stack).get('/internal/v1/sandbox/failing-webhooks');
  const listed = expectStatus(failing, 200).data.map((each: Fields) => [each.id, each.client_id]);
  t.same(listed, [[webhook.id, tenant.clientId]], 'the operator sees whose it is');
});

t.test('a webhook gets what it asked for, under the name it asked by', async (t) => {
  const receiver = receiverOf(2);
  const spender = await newSpender(stack, tenant);
  const sibling = await newSpender(stack, tenant);
  await register(spender, { url: receiver.url, event_types: ['cts.red', 'trust.promotion'] });
  const body = { cts_green_threshold: 0.98, cts_amber_threshold: 0.97, cts_red_threshold: 0.05 };
  for (const each of [spender, sibling]) {
    expectStatus(await each.acting.call('PUT', '/api/v1/thresholds', { body }), 200);
  }
  await decide(sibling, '10.00');
  await decide(spender, '500.01');
  const { authorization_id } = await decide(spender, '10.00');
  // In any order; the decline was also in the RED zone.
  await until(() => receiver.deliveries.length >= 2, patient);
  t.ok(receiver.deliveries.some((d) => d.envelope.data.authorization_id === authorization_id));
  for (const { envelope, headers } of receiver.deliveries) {
    t.equal(envelope.event, 'cts.red');
    t.equal(headers['x-service-event'], 'cts.red');
    t.equal(envelope.data.agent_id, spender.agentId, 'not those of a sibling');
  }
  t.equal(receiver.deliveries.length, 2);
});

t.test('what is tried again, and what fails at once', async (t) => {
  const receiver = receiverOf(3);
  const spender = await newSpender(stack, tenant);
  const { acting } = spender;
  const { webhook } = await register(spender, { url: receiver.url, event_types: ['*'] });
  const path = `/api/v1/webhooks/${webhook.id}`;
  const deliveries = async () =>
    expectStatus(await acting.get(`${path}/deliveries?limit=100`), 200).data;
  const rows: Array<[status: number, attempts: number]> = [
    [500, 5],
    [503, 5],
    [408, 5],
    [423, 5],
    [425, 5],
    [429, 5],
    [400, 1],
    [404, 1],
    [302, 1],
    // Before the tenth consecutive failure, which would disable the webhook.
    [204, 1],
    [hangUp, 5],
    [200, 1],
  ];
  for (const [status, attempts] of rows) {
    receiver.answerWith(status);
    const before = receiver.deliveries.length;
    expectStatus(await acting.post(`${path}/test`), 200);
    const settled = await until(async () => {
      const [latest] = await deliveries();
      return latest?.status !== 'PENDING' && latest?.attempts.length >= attempts && latest;
    }, patient);
    const delivered = status >= 200 && status < 300;
    t.equal(settled.status, delivered ? 'DELIVERED' : 'FAILED', `${status}`);
    t.equal(settled.attempts.length, attempts, `${status}`);
    t.equal(settled.attempts[0].status_code, status === hangUp ? null : status);
    const sent = receiver.deliveries.slice(before);
    t.equal(new Set(sent.map((each) => each.envelope.id)).size, 1, 'one id for all attempts');
    const numbers = sent.map((each) => each.headers['x-service-delivery-attempt']);
    t.same(
      numbers,
      Array.from({ length: attempts }, (_, i) => String(i + 1)),
    );
  }
  const after = expectStatus(await acting.get(path), 200);
  t.match(after, { active: true, consecutive_failures: 0, last_status_code: 200 });
  t.type(after.last_delivery_at, 'string');
  const [latest] = await deliveries();
  const again = await acting.post(`${path}/deliveries/${latest.id}/retry`);
  t.equal(again.status, 202);
});

t.test('ten failed events in a row switch a webhook off, a PATCH on again', async (t) => {
  const receiver = receiverOf(4);
  receiver.answerWith(400);
  const spender = await newSpender(stack, tenant);
  const { acting } = spender;
  const { webhook } = await register(spender, {
    url: receiver.url,
    event_types: ['authorization.decline'],
  });
  const path = `/api/v1/webhooks/${webhook.id}`;
  const state = async () => expectStatus(await acting.get(path), 200);
  for (let i = 1; i <= 10; i += 1) {
    await decide(spender, '500.01');
    const counted = await until(async () => {
      const now = await state();
      return now.consecutive_failures === i && now;
    }, patient);
    t.equal(counted.active, i < 10, `after ${i}`);
  }
  // When another webhook of the Principal receives the event, this one has been skipped.
  const witness = receiverOf(6);
  await register(spender, { url: witness.url, event_types: ['authorization.decline'] });
  await decide(spender, '500.02');
  await until(() => witness.deliveries.some((d) => d.envelope.data.amount === '500.02'), patient);
  const patch = (body: Fields) => acting.call('PATCH', path, { body });
  const on = expectStatus(await patch({ active: true }), 200);
  t.match(on, { active: true, consecutive_failures: 0 });
  receiver.answerWith(200);
  const { authorization_id } = await decide(spender, '500.03');
  await until(
    () => receiver.deliveries.some((d) => d.envelope.data.authorization_id === authorization_id),
    patient,
  );
  const healthy = await until(async () => {
    const now = await state();
    return now.last_status_code === 200 && now;
  }, patient);
  t.equal(healthy.consecutive_failures, 0);
  t.notOk(
    receiver.deliveries.some((d) => d.envelope.data.amount === '500.02'),
    'what happened meanwhile is not sent later',
  );
});

t.test('registering, changing and deleting webhooks', async (t) => {
  const receiver = receiverOf(5);
  const spender = await newSpender(stack, tenant);
  const { acting } = spender;
  const event_types = ['authorization.decline'];
  const rows: Array<[fields: Fields, status: number, code: string]> = [
    [{ url: undefined }, 422, 'VALIDATION_ERROR'],
    [{ event_types: undefined }, 422, 'VALIDATION_ERROR'],
    [{ event_types: [] }, 422, 'VALIDATION_ERROR'],
    [{ event_types: ['no.such'] }, 422, 'VALIDATION_ERROR'],
    [{ event_types: ['fraud.triage.resolved'] }, 422, 'VALIDATION_ERROR'],
    [{ url: 'http://example.com/' }, 422, 'ERROR'],
    [{ url: 'ftp://example.com/' }, 422, 'ERROR'],
    [{ url: 'https://localhost/' }, 422, 'ERROR'],
    [{ url: 'https://10.0.0.1/' }, 422, 'ERROR'],
    [{ url: 'https://2130706433/' }, 422, 'ERROR'],
    [{ url: 'https://[::1]/' }, 422, 'ERROR'],
    [{ url: 'https://[::ffff:10.0.0.1]/' }, 422, 'ERROR'],
    [{ url: 'https://user:pass@example.com/' }, 422, 'ERROR'],
    [{ url: 'https://does-not-resolve.invalid/' }, 422, 'ERROR'],
  ];
  for (const [fields, status, code] of rows) {
    const body = { url: receiver.url, event_types, ...fields };
    const answer = await acting.post('/api/v1/webhooks', body);
    t.match(answer, { status, body: { error: { code } } }, JSON.stringify(fields));
  }
  const { webhook } = await register(spender, { url: receiver.url, event_types });
  t.match(webhook, { active: true, description: null, consecutive_failures: 0 });
  const path = `/api/v1/webhooks/${webhook.id}`;
  const patch = (body: Fields) => acting.call('PATCH', path, { body });
  t.equal((await patch({})).status, 400);
  t.equal((await patch({ url: 'http://10.0.0.1/' })).status, 422);
  const changed = expectStatus(await patch({ event_types: ['*'], description: 'mine' }), 200);
  t.match(changed, { url: receiver.url, event_types: ['*'], description: 'mine' });
  const rotated = expectStatus(await acting.post(`${path}/rotate-secret`), 200);
  await decide(spender, '500.01');
  const delivered = await until(() => receiver.deliveries[0], patient);
  const signatures = String(delivered.headers['x-service-signature']).split(',');
  t.equal(signatures.length, 2, 'both secrets sign for a day');
  t.ok(
    signatures.some((one) => {
      const headers = { ...delivered.headers, 'x-service-signature': one.trim() };
      return isAuthentic({ ...delivered, headers }, rotated.signing_secret);
    }),
  );
  const gone = await acting.call('DELETE', path);
  t.equal(gone.status, 204);
  t.equal(gone.text, '');
  t.equal((await acting.get(path)).status, 404);
  t.equal((await acting.call('DELETE', path)).status, 404);
});
