/** Chapter "Limits", row by row, and cursor lists, with the product's rate limits enabled. */
import t from 'tap';
import { type Answer, type Api, api } from './api.js';
import { startInstallation } from './contract-proxy.js';
import { patience } from './patience.js';
import {
  expectStatus,
  type Installation,
  newSpender,
  newTenant,
  onboardBody,
  operator,
  paymentBody,
} from './tenant.js';

const stack = await startInstallation({
  env: { ...patience, RATE_LIMIT_MULTIPLIER: '20' },
  seed: false,
});
t.teardown(() => stack.stop());
const tenant = await newTenant(stack, 'live');
const spender = await newSpender(stack, tenant);
const { acting, agentId } = spender;
const approval = expectStatus(await acting.post('/api/v1/authorize', paymentBody(agentId)), 200);
const authorizationId: string = approval.authorization_id;

type Fields = Record<string, unknown>;

const x = (count: number) => 'x'.repeat(count);

t.test('lengths: the longest that is taken, and one more', async (t) => {
  const authorize = (fields: Fields) =>
    acting.post('/api/v1/authorize', paymentBody(agentId, fields));
  const reverse = (reason: string) =>
    acting.post('/api/v1/authorize/reverse', {
      authorization_id: authorizationId,
      amount: '0.01',
      reason,
    });
  const status = (reason: string) =>
    acting.call('PATCH', `/api/v1/agents/${agentId}/status`, {
      body: { status: 'ACTIVE', reason },
    });
  const outcome = (fields: Fields) =>
    acting.post('/api/v1/outcomes', {
      authorization_id: authorizationId,
      outcome_type: 'CLEARED',
      reported_at: '2026-01-02T03:04:05Z',
      reported_by: 'ISSUER',
      ...fields,
    });
  const webhook = (fields: Fields) =>
    acting.post('/api/v1/webhooks', {
      url: 'https://127.0.0.1/',
      event_types: ['*'],
      ...fields,
    });
  const deny = (reason: string) =>
    acting.post(`/api/v1/authorize/step-up/${authorizationId}/deny`, { reason });
  type Row = [name: string, call: () => Promise<Answer>, refusedBySchema: boolean];
  const rows: Row[] = [
    ['idempotency_key of 7', () => authorize({ idempotency_key: x(7) }), true],
    ['idempotency_key of 8', () => authorize({ idempotency_key: x(8) }), false],
    ['idempotency_key of 128', () => authorize({ idempotency_key: x(128) }), false],
    ['idempotency_key of 129', () => authorize({ idempotency_key: x(129) }), true],
    ['its characters', () => authorize({ idempotency_key: 'Az09_-:.' }), false],
    ['no other character', () => authorize({ idempotency_key: 'Az09_-:./' }), true],
    ['no space', () => authorize({ idempotency_key: 'with a space' }), true],
    ['client_reference of 128', () => authorize({ client_reference: x(128) }), false],
    ['client_reference of 129', () => authorize({ client_reference: x(129) }), true],
    ['reversal reason of 255', () => reverse(x(255)), false],
    ['reversal reason of 256', () => reverse(x(256)), true],
    ['deny reason of 501', () => deny(x(501)), true],
    ['status reason of 0', () => status(''), true],
    ['status reason of 500', () => status(x(500)), false],
    ['status reason of 501', () => status(x(501)), true],
    ['notes of 5000', () => outcome({ notes: x(5000) }), false],
    ['notes of 5001', () => outcome({ notes: x(5001) }), true],
    ['external_reference_id of 255', () => outcome({ external_reference_id: x(255) }), false],
    ['external_reference_id of 256', () => outcome({ external_reference_id: x(256) }), true],
    ['url of 2049', () => webhook({ url: `https://a.example/${x(2031)}` }), true],
    ['description of 256', () => webhook({ description: x(256) }), true],
    ['a code of 5', () => code('12345'), true],
    ['a code of letters', () => code('abcdef'), true],
  ];
  const code = (digits: string) =>
    acting.post(`/api/v1/authorize/step-up/${authorizationId}/verify-otp`, { code: digits });
  for (const [name, call, refused] of rows) {
    const answer = await call();
    if (refused)
      t.match(answer, { status: 422, body: { error: { code: 'VALIDATION_ERROR' } } }, name);
    else t.ok(answer.status < 300, `${name}: ${answer.text}`);
  }
  t.match(
    (await deny(x(500))).body,
    { error: { code: 'STEP_UP_REQUIRED' } },
    'taken by the schema',
  );
  t.match((await code('123456')).body, { error: { code: 'STEP_UP_REQUIRED' } });
});

t.test('sizes: pages, batches, mandates, bodies', async (t) => {
  const lists = [
    '/api/v1/authorize/log',
    `/api/v1/authorize/log/agent/${agentId}`,
    '/api/v1/authorize/step-up/pending',
    `/api/v1/outcomes/${authorizationId}`,
    '/api/v1/webhooks',
  ];
  for (const path of lists) {
    for (const limit of ['0', '101', '-1', '1.5', 'x', '']) {
      t.equal((await acting.get(`${path}?limit=${limit}`)).status, 422, `${path} by ${limit}`);
    }
    for (const limit of [1, 100]) {
      const page = expectStatus(await acting.get(`${path}?limit=${limit}`), 200);
      t.equal(page.pagination.limit, limit);
    }
    t.equal((await acting.get(path)).body.pagination.limit, 25, `${path} by default`);
  }
  for (const size of [1, 100]) {
    const page = expectStatus(await acting.get(`/api/v1/agents?page_size=${size}`), 200);
    t.equal(page.page_size, size);
  }
  const row = {
    authorization_id: authorizationId,
    outcome_type: 'MERCHANT_COMPLAINT',
    reported_at: '2026-01-02T03:04:05Z',
    reported_by: 'ISSUER',
  };
  const batch = (count: number) =>
    acting.post('/api/v1/outcomes/batch', { outcomes: Array.from({ length: count }, () => row) });
  t.match(expectStatus(await batch(500), 200), { total: 500, created: 1, duplicate: 499 });
  t.equal((await batch(501)).status, 422);
  const metadata = (bytes: number) =>
    acting.post('/api/v1/authorize', paymentBody(agentId, { metadata: { a: x(bytes) } }));
  t.equal((await metadata(16 * 1024 - 8)).status, 200);
  t.equal((await metadata(16 * 1024)).status, 422);
  const large = { rawBody: `{"a":"${x(256 * 1024)}"}` };
  t.equal((await acting.call('POST', '/api/v1/authorize', large)).status, 413);
  t.equal((await acting.call('POST', '/api/v1/outcomes/batch', large)).status, 422, 'up to 2 MiB');
  const huge = { rawBody: `{"a":"${x(2 * 1024 * 1024)}"}` };
  t.equal((await acting.call('POST', '/api/v1/outcomes/batch', huge)).status, 413);
});

/** All items of a list, page by page. */
async function walk(caller: Api, path: string, between: () => Promise<unknown>): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = '';
  do {
    const query: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor ?? '')}`;
    const page = expectStatus(await caller.get(`${path}?limit=2${query}`), 200);
    ids.push(...page.data.map((item: Fields) => item.id ?? item.authorization_id));
    cursor = page.pagination.next_cursor;
    if (page.pagination.has_more !== (cursor !== null)) throw new Error('has_more is wrong');
    await between();
  } while (cursor !== null);
  return ids;
}

t.test('a walk over pages sees each item once, whatever is added meanwhile', async (t) => {
  const walker = await newSpender(stack, tenant);
  const pay = async () => {
    const answer = await walker.acting.post('/api/v1/authorize', paymentBody(walker.agentId));
    paid.unshift(expectStatus(answer, 200).authorization_id);
  };
  const paid: string[] = [];
  for (let i = 0; i < 5; i += 1) await pay();
  const path = `/api/v1/authorize/log/agent/${walker.agentId}`;
  for (const list of [path, '/api/v1/authorize/log']) {
    const before = [...paid];
    const seen = await walk(walker.acting, list, pay);
    t.same(seen, before, 'newest first, without what came later');
  }

  const first = expectStatus(await walker.acting.get(`${path}?limit=2`), 200);
  const cursor: string = first.pagination.next_cursor;
  const flipped = `${cursor.slice(0, -1)}${cursor.endsWith('A') ? 'B' : 'A'}`;
  const tampered = [flipped, cursor.slice(1), `${cursor}A`, 'x', 'e30', x(513)];
  for (const bad of tampered) {
    const answer = await walker.acting.get(`${path}?cursor=${encodeURIComponent(bad)}`);
    t.match(answer, { status: 422, body: { error: { code: 'VALIDATION_ERROR' } } }, bad);
    t.equal(answer.body.error.details.errors[0].field, 'cursor');
  }
  const cursorQuery = `cursor=${encodeURIComponent(cursor)}`;
  const elsewhere = [
    [walker.acting, '/api/v1/webhooks'],
    [walker.acting, '/api/v1/authorize/step-up/pending'],
    [acting, `/api/v1/authorize/log/agent/${agentId}`],
  ] as const;
  for (const [caller, list] of elsewhere) {
    t.equal((await caller.get(`${list}?${cursorQuery}`)).status, 422, `not for ${list}`);
  }
  t.equal((await walker.acting.get(`${path}?limit=50&${cursorQuery}`)).status, 200, 'another size');
});

/** With a new key, whose buckets are full. */
async function newCaller(at: Installation, clientId: string): Promise<Api> {
  const path = `/internal/v1/clients/${clientId}/credentials`;
  const issued = await operator(at).post(path, { environment: 'sandbox', kind: 'api_key' });
  return api(at.baseUrl, { 'x-api-key': expectStatus(issued, 201).api_key });
}

t.test('rate limits: headers on every answer', async (t) => {
  const sandbox = await newTenant(stack, 'sandbox');
  const { agentId: payer } = await newSpender(stack, sandbox);
  const client = await newCaller(stack, sandbox.clientId);
  const limits: Array<[method: string, path: string, body: unknown, limit: number]> = [
    ['POST', '/api/v1/authorize', paymentBody(payer), 50 * 20],
    ['GET', '/api/v1/agents', undefined, 50 * 20],
    ['POST', '/api/v1/principals', {}, 10 * 20],
  ];
  for (const [method, path, body, limit] of limits) {
    const { headers } = await client.call(method, path, { body });
    t.equal(headers.get('x-ratelimit-limit'), String(limit), path);
    t.equal(headers.get('x-ratelimit-remaining'), String(limit - 1), path);
    t.match(headers.get('x-ratelimit-reset'), /^\d{10}$/, path);
  }
  t.equal((await api(stack.baseUrl).get('/api/v1/health')).headers.get('x-ratelimit-limit'), null);
});

t.test('rate limits: 429 and how long to wait', async (t) => {
  // A bucket that gains a call in 20 s is empty after its burst of one, however busy the machine.
  const env = { ...patience, RATE_LIMIT_MULTIPLIER: '0.01' };
  const strict = await startInstallation({ services: ['gateway'], env, seed: false });
  t.teardown(() => strict.stop());
  const named = await operator(strict).post('/internal/v1/clients', { name: 'Greedy' });
  const { id: clientId } = expectStatus(named, 201);
  const greedy = await newCaller(strict, clientId);
  const ask = (client: Api) => client.post('/api/v1/principals', {});
  const burst = await Promise.all([greedy, greedy, greedy].map(ask));
  const refused = burst.find(({ status }) => status === 429);
  t.match(refused, { status: 429, body: { error: { code: 'RATE_LIMITED' } } });
  t.match(refused?.headers.get('retry-after'), /^[1-9]\d*$/);
  t.equal(refused?.headers.get('x-ratelimit-remaining'), '0');
  t.equal(refused?.headers.get('x-ratelimit-limit'), '1');
  const other = await ask(await newCaller(strict, clientId));
  t.equal(other.status, 422, 'another credential has a bucket of its own');
});

t.test('defaults that are durations', async (t) => {
  const before = Date.now();
  const body = onboardBody(tenant.programId);
  const created = expectStatus(await tenant.client.post('/api/v1/onboard', body), 201);
  const validity = Date.parse(created.mandate.valid_until) - before;
  t.ok(Math.abs(validity - 365 * 86_400_000) < 60_000, 'a mandate: about a year');
  const own = { 'x-api-key': tenant.apiKey, 'x-principal-id': created.principal.id };
  const caller = api(stack.baseUrl, own);
  const put = { body: { step_up_amount_threshold: '1' } };
  expectStatus(await caller.call('PUT', '/api/v1/thresholds', put), 200);
  const asked = await caller.post('/api/v1/authorize', paymentBody(created.agent.id));
  t.equal(expectStatus(asked, 200).decision, 'STEP_UP');
  const [open] = expectStatus(await caller.get('/api/v1/authorize/step-up/pending'), 200).data;
  t.equal(Date.parse(open.expires_at) - Date.parse(open.created_at), 300_000, '5 minutes');
});

// The last test of this file: afterwards this address may not authenticate any more.
t.test('too many failed authentications of one address: 429', async (t) => {
  const attempt = () => api(stack.baseUrl, { 'x-api-key': 'svc_test_x' }).get('/api/v1/agents');
  const statuses = new Map<number, number>();
  for (let i = 0; i < 205; i += 1) {
    const { status } = await attempt();
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  t.same([...statuses.keys()].sort(), [401, 429]);
  t.equal(statuses.get(401), 200, 'ten in five minutes, times the multiplier');
  const answer = await attempt();
  t.equal(answer.body.error.code, 'RATE_LIMITED');
  t.match(answer.headers.get('retry-after'), /^[1-9]\d*$/);
  t.equal((await acting.get('/api/v1/agents')).status, 200, 'a known credential is not held up');
});

t.test('of many mandates with long lists the newest are listed, and used', async (t) => {
  const { acting, agentId, mandateId } = await newSpender(stack, tenant);
  const blocked_merchants = Array.from({ length: 500 }, (_, n) => String(n).padStart(240, 'm'));
  const granted = [mandateId];
  for (let days = 60; days > 20; days -= 1) {
    const valid_until = new Date(Date.now() + days * 86_400_000).toISOString();
    const terms = { valid_until, max_amount_per_transaction: '50.00', blocked_merchants };
    const body = { agent_id: agentId, ...terms };
    granted.unshift(expectStatus(await acting.post('/api/v1/mandates', body), 201).id);
  }
  const list = expectStatus(await acting.get(`/api/v1/mandates/agent/${agentId}`), 200);
  t.equal(list.total, 41);
  const listed: string[] = list.mandates.map(({ id }: { id: string }) => id);
  t.same(listed, granted.slice(0, listed.length));
  t.ok(listed.length > 1 && listed.length < 10, `${listed.length} of 120 KB each`);
  const payment = expectStatus(await acting.post('/api/v1/authorize', paymentBody(agentId)), 200);
  t.match(payment, { decision: 'APPROVE', mandate_id: granted[0] });
});
