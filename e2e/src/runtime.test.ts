/** The runtime plane except decisions: agents, mandates, outcomes, thresholds, settlements. */
import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import t from 'tap';
import { startInstallation } from './contract-proxy.js';
import { patience } from './patience.js';
import {
  expectStatus,
  newSpender,
  newTenant,
  onboardSpender,
  operator,
  paymentBody,
  type Spender,
} from './tenant.js';

const env = { ...patience, RATE_LIMIT_MULTIPLIER: '0' };
const stack = await startInstallation({ env, seed: false });
t.teardown(() => stack.stop());
const admin = operator(stack);
const tenant = await newTenant(stack);

type Fields = Record<string, unknown>;
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

async function newAgent({ acting }: Spender, fields: Fields = {}): Promise<string> {
  const body = { display_name: 'Second', capabilities: ['PURCHASE'], ...fields };
  return expectStatus(await acting.post('/api/v1/agents', body), 201).id;
}

async function approved({ acting, agentId }: Spender, fields: Fields = {}): Promise<string> {
  const answer = await acting.post('/api/v1/authorize', paymentBody(agentId, fields));
  const body = expectStatus(answer, 200);
  if (body.decision !== 'APPROVE') throw new Error(answer.text);
  return body.authorization_id;
}

t.test('agents: creating, listing by page, filtering', async (t) => {
  const spender = await newSpender(stack, tenant);
  const { acting, principalId } = spender;
  const created = expectStatus(
    await acting.post('/api/v1/agents', {
      display_name: 'Two',
      capabilities: ['TRANSFER', 'PURCHASE'],
      principal_id: principalId,
    }),
    201,
  );
  t.match(created, { status: 'ACTIVE', trust_level: 'REGISTERED', total_transactions: 0 });
  t.same([...created.capabilities].sort(), ['PURCHASE', 'TRANSFER']);
  const rows: Array<[fields: Fields, status: number]> = [
    [{ display_name: undefined }, 422],
    [{ capabilities: undefined }, 422],
    [{ capabilities: [] }, 422],
    [{ capabilities: ['FLY'] }, 422],
    [{ did: 'not a did' }, 422],
    [{ public_key_jwk: { kty: 'EC' } }, 422],
    [{ principal_id: 'prn_01k5a3v7q8e9f0g1h2j3k4m5n6' }, 403],
    [{ did: created.did }, 409],
  ];
  for (const [fields, status] of rows) {
    const body = { display_name: 'x', capabilities: ['PURCHASE'], ...fields };
    const answer = await acting.post('/api/v1/agents', body);
    t.equal(answer.status, status, `${JSON.stringify(fields)}: ${answer.text}`);
  }
  await newAgent(spender);
  const paged = expectStatus(await acting.get('/api/v1/agents?page=2&page_size=2'), 200);
  t.match(paged, { total: 3, page: 2, page_size: 2 });
  t.equal(paged.agents.length, 1);
  const beyond = expectStatus(await acting.get('/api/v1/agents?page=9'), 200);
  t.match(beyond, { agents: [], total: 3, page: 9 });
  await acting.call('PATCH', `/api/v1/agents/${created.id}/status`, {
    body: { status: 'SUSPENDED', reason: 'test' },
  });
  const suspended = expectStatus(await acting.get('/api/v1/agents?status=SUSPENDED'), 200);
  t.match(suspended, { total: 1, agents: [{ id: created.id }] });
  t.equal((await acting.get('/api/v1/agents?trust_level=TRUSTED')).body.total, 0);
  t.equal((await acting.get('/api/v1/agents?trust_level=REGISTERED')).body.total, 3);
  for (const query of ['page=0', 'page_size=0', 'page_size=101', 'status=GONE', 'page=x']) {
    t.equal((await acting.get(`/api/v1/agents?${query}`)).status, 422, query);
  }
});

t.test('the status of an agent, pair by pair', async (t) => {
  const spender = await newSpender(stack, tenant);
  const { acting } = spender;
  const change = (id: string, status: string) =>
    acting.call('PATCH', `/api/v1/agents/${id}/status`, { body: { status, reason: 'test' } });
  const paths: Record<string, string[]> = {
    ACTIVE: [],
    SUSPENDED: ['SUSPENDED'],
    REVOKED: ['REVOKED'],
  };
  const pairs = Object.keys(paths).flatMap((from) =>
    Object.keys(paths).map((to) => ({ from, to })),
  );
  for (const { from, to } of pairs) {
    const id = await newAgent(spender);
    for (const step of paths[from] ?? []) expectStatus(await change(id, step), 200);
    const answer = await change(id, to);
    const refused = from === 'REVOKED' && to !== 'REVOKED';
    t.equal(answer.status, refused ? 422 : 200, `${from} to ${to}: ${answer.text}`);
    const now = expectStatus(await acting.get(`/api/v1/agents/${id}`), 200);
    t.equal(now.status, refused ? from : to, `${from} to ${to}`);
    if (refused) continue;
    t.same(answer.body, { id, status: to, trust_level: 'REGISTERED', display_name: 'Second' });
  }
  for (const body of [{ status: 'ACTIVE' }, { reason: 'x' }, { status: 'GONE', reason: 'x' }]) {
    const answer = await acting.call('PATCH', `/api/v1/agents/${spender.agentId}/status`, { body });
    t.equal(answer.status, 422, JSON.stringify(body));
  }
  await change(spender.agentId, 'REVOKED');
  const mandate = await acting.get(`/api/v1/mandates/${spender.mandateId}`);
  t.equal(expectStatus(mandate, 200).status, 'REVOKED', 'its mandates go with it');
});

t.test('mandates: creating, filtering, revoking', async (t) => {
  const spender = await newSpender(stack, tenant);
  const { acting, agentId, mandateId } = spender;
  const body = { agent_id: agentId, valid_until: inDays(1), max_amount_per_transaction: '5.00' };
  const rows: Array<[fields: Fields, status: number]> = [
    [{ agent_id: undefined }, 422],
    [{ valid_until: undefined }, 422],
    [{ max_amount_per_transaction: undefined }, 422],
    [{ max_amount_per_transaction: 0 }, 422],
    [{ max_amount_per_transaction: '1.001' }, 422],
    [{ max_amount_per_transaction: '1.5', currency: 'JPY' }, 422],
    [{ max_daily_amount: '-1' }, 422],
    [{ valid_until: new Date().toISOString() }, 422],
    [{ valid_until: inDays(5 * 366 + 1) }, 422],
    [{ allowed_mccs: ['x'] }, 422],
    [{ allowed_countries: ['US'] }, 422],
    [{ agent_id: 'agt_01k5a3v7q8e9f0g1h2j3k4m5n6' }, 404],
    [{ max_amount_per_transaction: 5, max_monthly_amount: 7.25 }, 201],
  ];
  for (const [fields, status] of rows) {
    const answer = await acting.post('/api/v1/mandates', { ...body, ...fields });
    t.equal(answer.status, status, `${JSON.stringify(fields)}: ${answer.text}`);
  }
  const made = expectStatus(
    await acting.post('/api/v1/mandates', { ...body, max_monthly_amount: 7.25 }),
    201,
  );
  t.has(made, {
    currency: 'USD',
    status: 'ACTIVE',
    max_amount_per_transaction: '5.00',
    max_daily_amount: null,
    max_monthly_amount: '7.25',
  });
  const answer = await acting.post('/api/v1/authorize', paymentBody(agentId, { amount: '6.00' }));
  t.match(answer.body, { mandate_id: made.id, reason_codes: ['AMOUNT_EXCEEDS_PER_TXN'] });
  const revoke = async () =>
    expectStatus(await acting.call('DELETE', `/api/v1/mandates/${made.id}`), 200);
  t.match(await revoke(), { id: made.id, status: 'REVOKED' });
  t.match(await revoke(), { id: made.id, status: 'REVOKED' }, 'once more');
  const listed = async (query: string) =>
    expectStatus(await acting.get(`/api/v1/mandates/agent/${agentId}${query}`), 200);
  t.match(await listed(''), { total: 3 });
  t.match(await listed('?status=REVOKED'), { total: 1, mandates: [{ id: made.id }] });
  t.match(await listed('?status=EXPIRED'), { total: 0, mandates: [] });
  t.equal((await acting.get(`/api/v1/mandates/agent/${agentId}?status=OLD`)).status, 422);
  for (const { id } of (await listed('?status=ACTIVE')).mandates) {
    expectStatus(await acting.call('DELETE', `/api/v1/mandates/${id}`), 200);
  }
  const without = await acting.post('/api/v1/authorize', paymentBody(agentId));
  t.match(without.body, { reason_codes: ['NO_ACTIVE_MANDATE'], mandate_id: null });
  t.equal((await acting.get(`/api/v1/mandates/${mandateId}`)).status, 200, 'records are retained');
});

t.test('a mandate past its end is EXPIRED, and declines as such', async (t) => {
  const { acting, agentId, mandateId } = await newSpender(stack, tenant);
  const url = stack.databases.find((each) => /identity_sandbox/.test(each.name))?.url;
  const database = new Client({ connectionString: url });
  await database.connect();
  // The shortest validity is a minute and mandates are immutable, so this one is backdated.
  await database.query('SET session_replication_role = replica');
  const age =
    "created_at = created_at - interval '1 day', valid_from = valid_from - interval '1 day'";
  const end = "valid_until = now() - interval '1 second'";
  await database.query(`UPDATE mandates SET ${age}, ${end} WHERE id = $1`, [mandateId]);
  await database.end();
  const answer = await acting.post('/api/v1/authorize', paymentBody(agentId));
  t.same(answer.body.reason_codes, ['NO_ACTIVE_MANDATE', 'MANDATE_EXPIRED']);
  const read = await acting.get(`/api/v1/mandates/${mandateId}`);
  t.equal(expectStatus(read, 200).status, 'EXPIRED');
  for (const status of ['EXPIRED', 'ACTIVE', 'REVOKED']) {
    const list = await acting.get(`/api/v1/mandates/agent/${agentId}?status=${status}`);
    t.equal(expectStatus(list, 200).total, status === 'EXPIRED' ? 1 : 0, status);
  }
});

t.test('a budget says what is used and what remains', async (t) => {
  const spender = await newSpender(stack, tenant, { max_daily_amount: '100.00' });
  await approved(spender, { amount: '30.25' });
  const path = `/api/v1/mandates/${spender.mandateId}/budget`;
  const budget = expectStatus(await spender.acting.get(path), 200);
  t.match(budget, { mandate_id: spender.mandateId, currency: 'USD' });
  t.has(budget.day, {
    date: new Date().toISOString().slice(0, 10),
    amount_limit: '100.00',
    amount_used: '30.25',
    amount_remaining: '69.75',
    count_limit: null,
    count_used: 1,
    count_remaining: null,
  });
  t.has(budget.month, { amount_limit: null, amount_used: '30.25', amount_remaining: null });
});

t.test('outcomes, one by one', async (t) => {
  const spender = await newSpender(stack, tenant);
  const { acting } = spender;
  const reference = randomUUID();
  const id = await approved(spender, { client_reference: reference, network_rrn: 'rrn-1' });
  const reportedAt = '2026-01-02T03:04:05Z';
  const base = { authorization_id: id, reported_at: reportedAt, reported_by: 'ISSUER' };
  const report = (body: Fields) => acting.post('/api/v1/outcomes', { ...base, ...body });
  const types = [
    'CLEARED',
    'CHARGEBACK',
    'CONFIRMED_FRAUD',
    'DISPUTE_RESOLVED',
    'PRINCIPAL_CONFIRMED_UNAUTHORIZED',
    'PRINCIPAL_CONFIRMED_LEGITIMATE',
    'MERCHANT_COMPLAINT',
    'FALSE_POSITIVE_REPORTED',
  ];
  for (const outcome_type of types) {
    const first = expectStatus(await report({ outcome_type, notes: 'first' }), 201);
    t.match(first, { authorization_id: id, tenant_id: spender.principalId, outcome_type });
    const again = expectStatus(await report({ outcome_type, notes: 'second' }), 200);
    t.same(again, first, `${outcome_type} is recorded once`);
  }
  const settle = (settled_at: string, settled_amount: string) =>
    report({ outcome_type: 'SETTLED', settled_at, settled_amount, settled_currency: 'USD' });
  const settled = expectStatus(await settle('2026-01-02T00:00:00Z', '10.00'), 201);
  t.has(settled, { settled_amount: '10.00', settled_at: '2026-01-02T00:00:00.000Z' });
  const newer = expectStatus(await settle('2026-01-03T00:00:00Z', '9.00'), 200);
  t.has(newer, { id: settled.id, settled_amount: '9.00' }, 'the latest settlement wins');
  const older = expectStatus(await settle('2026-01-01T00:00:00Z', '8.00'), 200);
  t.has(older, { settled_amount: '9.00' }, 'in whatever order they arrive');
  for (const by of [{ client_reference: reference }, { network_rrn: 'rrn-1' }]) {
    const body = { authorization_id: undefined, outcome_type: 'CLEARED', ...by };
    t.equal(expectStatus(await report(body), 200).authorization_id, id, JSON.stringify(by));
  }
  const rows: Array<[body: Fields, status: number, code: string]> = [
    [{ outcome_type: 'LOST' }, 400, 'BAD_REQUEST'],
    [{}, 422, 'VALIDATION_ERROR'],
    [{ outcome_type: 'CLEARED', reported_at: undefined }, 422, 'VALIDATION_ERROR'],
    [{ outcome_type: 'CLEARED', reported_by: undefined }, 422, 'VALIDATION_ERROR'],
    [{ outcome_type: 'CLEARED', reported_by: 'ROBOT' }, 422, 'VALIDATION_ERROR'],
    [{ outcome_type: 'CLEARED', authorization_id: undefined }, 422, 'VALIDATION_ERROR'],
    [
      { outcome_type: 'CLEARED', authorization_id: 'auth_01k5a3v7q8e9f0g1h2j3k4m5n6' },
      404,
      'NOT_FOUND',
    ],
  ];
  for (const [body, status, code] of rows) {
    const answer = await report(body);
    t.match(answer, { status, body: { error: { code } } }, JSON.stringify(body));
  }
  const list = expectStatus(await acting.get(`/api/v1/outcomes/${id}?limit=100`), 200);
  t.equal(list.data.length, types.length + 1);
});

t.test('outcomes, many at once, each for itself', async (t) => {
  const spender = await newSpender(stack, tenant);
  const id = await approved(spender);
  const row = (fields: Fields = {}) => ({
    authorization_id: id,
    outcome_type: 'SETTLED',
    reported_at: '2026-01-02T03:04:05Z',
    reported_by: 'MERCHANT',
    settled_at: '2026-01-02T00:00:00Z',
    ...fields,
  });
  const batch = (outcomes: unknown) => spender.acting.post('/api/v1/outcomes/batch', { outcomes });
  const nobodys = 'auth_01k5a3v7q8e9f0g1h2j3k4m5n6';
  const answer = await batch([
    row(),
    row(),
    row({ settled_at: '2026-01-03T00:00:00Z' }),
    row({ authorization_id: nobodys }),
    row({ outcome_type: 'LOST' }),
    row({ authorization_id: undefined }),
  ]);
  const body = expectStatus(answer, 200);
  const { results, ...counts } = body;
  t.same(counts, { total: 6, created: 1, updated: 1, duplicate: 1, not_found: 1, invalid: 2 });
  t.same(
    results.map((each: Fields) => each.authorization_id),
    [id, id, id, nobodys, id, null],
    'the one that a row named',
  );
  const statuses = ['created', 'duplicate', 'updated', 'not_found', 'invalid', 'invalid'];
  for (const [index, status] of statuses.entries()) {
    t.match(results[index], { index, status });
    t.same(Object.keys(results[index]).sort(), [
      'authorization_id',
      'error',
      'id',
      'index',
      'status',
    ]);
    t.equal(results[index].error === null, index < 3, `error of ${status}`);
  }
  for (const field of ['outcome_type', 'reported_at', 'reported_by']) {
    const refused = await batch([row(), row({ [field]: undefined })]);
    t.match(refused, {
      status: 422,
      body: { error: { details: { errors: [{ field: `outcomes.1.${field}` }] } } },
    });
  }
  const long = await batch([row(), row({ external_reference_id: 'x'.repeat(256) })]);
  t.equal(long.status, 422, 'a field that is too long rejects the call');
  t.equal((await batch([])).status, 422);
  t.equal((await batch('x')).status, 422);
});

t.test('thresholds are overridden all or nothing, and reverted', async (t) => {
  const { acting } = await onboardSpender(stack, tenant);
  const path = '/api/v1/thresholds';
  const put = (body: Fields) => acting.call('PUT', path, { body });
  const before = expectStatus(await acting.get(path), 200);
  t.same(before.thresholds, before.platform_defaults);
  t.same(before.overrides, {});
  const changed = expectStatus(
    await put({ cts_green_threshold: 0.8, risk_score_step_up: 0.6 }),
    200,
  );
  t.match(changed, { status: 'updated', fields_changed: ['cts_green_threshold'] });
  t.equal(changed.effective_thresholds.cts_green_threshold, 0.8);
  const rows: Array<[body: Fields, status: number]> = [
    [{}, 400],
    [{ surprise: 1 }, 422],
    [{ cts_green_threshold: 1 }, 422],
    [{ cts_green_threshold: 'high' }, 422],
    [{ cts_green_threshold: 0.3 }, 422],
    [{ cts_red_threshold: 0.5 }, 422],
    [{ cts_amber_threshold: 0.1 }, 422],
    [{ authorize_min_kya_score: 0.4 }, 422],
    [{ cognitive_multiplier_red: 0.1 }, 422],
    [{ risk_score_step_up: 0.9 }, 422],
    [{ intent_anomaly_step_up: 0.96 }, 422],
    [{ verified_min_successful_txns: 501 }, 422],
    [{ verified_min_successful_txns: 1.5 }, 422],
    [{ verified_max_decline_rate: 0.01 }, 422],
    [{ velocity_burst_window_seconds: 9 }, 422],
    [{ step_up_amount_threshold: '0' }, 422],
    [{ velocity_burst_count: 5, cts_red_threshold: 0.9 }, 422],
  ];
  for (const [body, status] of rows)
    t.equal((await put(body)).status, status, JSON.stringify(body));
  const after = expectStatus(await acting.get(path), 200);
  const kept = { cts_green_threshold: 0.8, risk_score_step_up: 0.6 };
  t.same(after.overrides, kept, 'nothing of what was refused');
  const reverted = expectStatus(await put({ cts_green_threshold: null }), 200);
  t.match(reverted, { fields_changed: ['cts_green_threshold'] });
  expectStatus(await put({ velocity_burst_count: 5 }), 200);
  for (const _ of ['first', 'again']) {
    const reset = expectStatus(await acting.call('DELETE', path), 200);
    t.match(reset, { status: 'reset', message: String });
  }
  t.same(expectStatus(await acting.get(path), 200).overrides, {});
});

t.test('settlements need a chain, cases need fraud triage', async (t) => {
  const { acting, agentId } = await newSpender(stack, tenant);
  const hash = `0x${'ab'.repeat(32)}`;
  const decided = await acting.post('/api/v1/authorize', paymentBody(agentId));
  const { authorization_id } = expectStatus(decided, 200);
  const report = (fields: Fields) =>
    acting.post('/api/v1/crypto/settlements', { authorization_id, tx_hash: hash, ...fields });
  t.equal((await report({})).status, 403, 'no chain is configured here');
  for (const fields of [{ tx_hash: '0x1' }, { from_address: 'x' }, { value_raw: '1.5' }]) {
    t.equal((await report(fields)).status, 422, JSON.stringify(fields));
  }
  const listed = await acting.get(`/api/v1/crypto/settlements/${authorization_id}`);
  t.equal(listed.status, 403, 'nor is there any to list');
  for (const path of ['/api/v1/cases', '/api/v1/cases/frd_01k5a3v7q8e9f0g1h2j3k4m5n6']) {
    t.match(await acting.get(path), { status: 404, body: { error: { code: 'NOT_FOUND' } } });
  }
  const resolve = '/api/v1/cases/frd_01k5a3v7q8e9f0g1h2j3k4m5n6/resolve';
  t.equal((await acting.post(resolve, { resolution: 'INCONCLUSIVE' })).status, 404);
});

t.test('a Principal reads itself, whichever way it is named', async (t) => {
  const { acting, principalId } = await newSpender(stack, tenant);
  const sibling = await newSpender(stack, tenant);
  t.equal((await acting.get(`/api/v1/principals/${principalId}`)).body.id, principalId);
  t.equal((await acting.get(`/api/v1/principals/${sibling.principalId}`)).status, 403);
  const patched = await admin.call('PATCH', `/internal/v1/sandbox/principals/${principalId}`, {
    body: { risk_tier: 'HIGH' },
  });
  t.equal(expectStatus(patched, 200).risk_tier, 'HIGH');
  t.equal((await acting.get(`/api/v1/principals/${principalId}`)).body.risk_tier, 'HIGH');
});
