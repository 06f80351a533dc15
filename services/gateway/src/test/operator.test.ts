import { createHmac } from 'node:crypto';
import { newId } from '@countersign/kernel/id';
import { t as file, test } from 'tap';
import { operatorMistake } from './operator-answer.js';
import { answerOf } from './request.js';
import { adminKey, World } from './world.js';

const world = await World.start();
file.teardown(() => world.close());
const secret = 'callback-secret';
const gateway = await world.replica({
  RATE_LIMIT_MULTIPLIER: '0',
  VERIFICATION_CALLBACK_SECRET: secret,
});
const { identity } = world;

test('without the admin key, or with another, everything is 403', async (t) => {
  const call = async (headers: Record<string, string>, path = '/clients') => {
    const response = await fetch(`${gateway.internalUrl}/internal/v1${path}`, { headers });
    return { status: response.status, json: await response.json() };
  };
  for (const headers of [{}, { 'X-Admin-Key': '' }, { 'X-Admin-Key': `${adminKey}x` }]) {
    const { status, json } = await call(headers as Record<string, string>);
    t.equal(status, 403);
    t.match(json, { error: { code: 'ERROR', message: String, request_id: String } });
  }
  t.equal((await call({ 'X-Admin-Key': adminKey })).status, 200);
  t.equal((await gateway.call('/internal/v1/clients')).status, 404, 'not on the public listener');
  const other = await fetch(`${gateway.internalUrl}/api/v1/public`);
  t.equal(other.status, 404, 'nor the public interface on this one');
  t.match(await other.json(), { error: { message: / at \/internal\/v1\/docs\.$/ } });
});

test('a Client: created, listed newest first by pages, suspended', async (t) => {
  const made = await gateway.operate('POST', '/clients', { name: 'First' });
  t.equal(made.status, 201);
  t.match(made.json, { id: /^cli_/, name: 'First', status: 'ACTIVE', created_at: String });
  t.same(Object.keys(made.json), ['id', 'name', 'status', 'created_at']);
  for (const name of ['Second', 'Third']) await gateway.operate('POST', '/clients', { name });

  const listed = async (): Promise<string[]> => {
    const names: string[] = [];
    let cursor = '';
    for (let page = 0; page < 3; page += 1) {
      const query = `limit=1${cursor && `&cursor=${cursor}`}`;
      const { json } = await gateway.operate('GET', `/clients?${query}`);
      t.match(json.pagination, { limit: 1, has_more: page < 2 });
      names.push(json.data[0].name);
      cursor = json.pagination.next_cursor;
    }
    return names;
  };
  t.same(await listed(), ['Third', 'Second', 'First']);
  await gateway.context.pool.query('UPDATE client SET created_at = $1', [new Date()]);
  t.same(await listed(), ['Third', 'Second', 'First'], 'created in the same millisecond, too');
  t.equal((await gateway.operate('GET', '/clients?cursor=forged')).status, 422);
  t.equal((await gateway.operate('GET', '/clients?limit=0')).status, 422);

  const path = `/clients/${made.json.id}`;
  t.match((await gateway.operate('PATCH', path, { status: 'SUSPENDED' })).json.status, 'SUSPENDED');
  t.equal((await gateway.operate('PATCH', path, { status: 'GONE' })).status, 422);
  const unknown = `/clients/${newId('client')}`;
  t.equal((await gateway.operate('PATCH', unknown, { status: 'ACTIVE' })).status, 404);
});

test('a credential: every field of its answer, its secret once', async (t) => {
  const client = await gateway.client(identity);
  const terms = {
    environment: 'live',
    kind: 'api_key',
    scopes: 'authorize,agents',
    ip_allowlist: ['10.0.0.0/8'],
    expires_at: '2099-01-01T00:00:00Z',
    label: 'checkout',
  };
  const issued = await gateway.operate('POST', `/clients/${client.id}/credentials`, terms);
  t.equal(issued.status, 201);
  t.match(issued.json, {
    ...terms,
    id: /^acr_/,
    client_id: client.id,
    expires_at: '2099-01-01T00:00:00.000Z',
    created_at: String,
    api_key: /^svc_live_/,
  });
  t.notOk('client_secret' in issued.json);
  const oauth = await gateway.key(client.id, { kind: 'oauth_client' });
  t.match(oauth, { oauth_client_id: /^svcoc_test_[0-9a-z]{26}$/, client_secret: /^svcos_\w{49}$/ });
  t.notOk('api_key' in oauth);

  t.equal(issued.json.access, 'full', 'unless it is said otherwise');
  const reader = { environment: 'live', kind: 'api_key', access: 'read' };
  const path = `/clients/${client.id}/credentials`;
  const looking = await gateway.operate('POST', path, reader);
  t.match(looking.json, { access: 'read', scopes: '' });
  const neither = await gateway.operate('POST', path, { ...reader, access: 'write' });
  t.match(neither, {
    status: 422,
    json: { error: { details: { errors: [{ field: 'access' }] } } },
  });
  await gateway.operate('POST', `/credentials/${looking.json.id}/revoke`);

  const other = await gateway.client(identity);
  await gateway.key(other.id);
  const list = await gateway.operate('GET', path);
  t.equal(list.json.data.length, 3, 'those of this Client alone');
  t.notMatch(list.text, issued.json.api_key);
  t.notMatch(list.text, /api_key"\s*:\s*"svc|client_secret/);

  const rotated = await gateway.operate('POST', `/credentials/${oauth.id}/rotate`, {});
  t.match(rotated.json.client_secret, /^svcos_/);
  t.equal(rotated.json.oauth_client_id, oauth.oauth_client_id, 'its id stays');
  const grace = Date.parse(rotated.json.previous_expires_at) - Date.now();
  t.ok(Math.abs(grace - 86_400_000) < 60_000, 'a day by default');
  const revoked = await gateway.operate('POST', `/credentials/${oauth.id}/revoke`);
  t.same(Object.keys(revoked.json), ['id', 'revoked_at']);

  const patched = await gateway.operate('PATCH', `/credentials/${issued.json.id}`, {
    expires_at: null,
    label: null,
  });
  t.match(patched.json, { expires_at: null, label: null, scopes: 'authorize,agents' });
});

test('only no scopes at all, or * alone, are all scopes', async (t) => {
  const client = await gateway.client(identity);
  const issue = (scopes: string) =>
    gateway.operate('POST', `/clients/${client.id}/credentials`, {
      environment: 'live',
      kind: 'api_key',
      scopes,
    });
  for (const full of ['', ' ', '*']) t.match((await issue(full)).json, { scopes: '' }, full);
  for (const neither of [',', ' , ', '*,', 'agents,*', 'agents,']) {
    const { status, json } = await issue(neither);
    t.equal(status, 422, neither);
    t.match(json.error.details.errors, [{ field: 'scopes', type: 'invalid_scope' }]);
  }
});

test('what is wrong with a request is said, all of it', async (t) => {
  const client = await gateway.client(identity);
  const path = `/clients/${client.id}/credentials`;
  const wrong = await gateway.operate('POST', path, {
    environment: 'moon',
    kind: 'principal_key',
    scopes: 'agents,everything',
    ip_allowlist: ['10.0.0.0/8', 'elsewhere', '10.0.0.1/33'],
    expires_at: '2001-01-01T00:00:00Z',
    more: 1,
  });
  t.equal(wrong.status, 422);
  const fields = wrong.json.error.details.errors.map(({ field }: { field: string }) => field);
  t.same(fields.sort(), [
    'environment',
    'expires_at',
    'ip_allowlist.1',
    'ip_allowlist.2',
    'kind',
    'more',
    'scopes',
  ]);
  for (const expires_at of ['9999-12-31T23:59:59-02:00', '0000-06-01T00:00:00Z']) {
    const late = { environment: 'live', kind: 'api_key', expires_at };
    const { status, json } = await gateway.operate('POST', path, late);
    t.equal(status, 422, expires_at);
    t.match(json.error.details.errors, [{ field: 'expires_at', type: 'out_of_range' }]);
  }
  const many = Array.from({ length: 51 }, (_, n) => `10.0.0.${n}`);
  const key = { environment: 'live', kind: 'api_key' };
  t.equal((await gateway.operate('POST', path, { ...key, ip_allowlist: many })).status, 422);
  const nobody = `/clients/${newId('client')}/credentials`;
  t.equal((await gateway.operate('POST', nobody, key)).status, 404);
  t.equal((await gateway.operate('GET', nobody)).status, 404);
  const id = newId('credential');
  t.equal((await gateway.operate('POST', `/credentials/${id}/revoke`)).status, 404);
  t.equal((await gateway.operate('POST', `/credentials/${id}/rotate`, {})).status, 404);
  t.equal((await gateway.operate('PATCH', `/credentials/${id}`, {})).status, 400);
  const tooLong = { grace_seconds: 604_801 };
  t.equal((await gateway.operate('POST', `/credentials/${id}/rotate`, tooLong)).status, 422);
  t.equal((await gateway.operate('DELETE', `/credentials/${id}`)).status, 405);
});

test('programs and principals: the call reaches identity in its environment', async (t) => {
  const client = await gateway.client(identity);
  const [principal = ''] = client.principals;
  const program = await gateway.operate('POST', `/clients/${client.id}/programs`, {
    environment: 'live',
    name: 'Everyday',
    rails: ['card'],
    status: 'PAUSED',
    limit_ceilings: { max_daily_amount: 1000.5 },
  });
  t.equal(program.status, 201);
  t.match(program.json, { client_id: client.id, environment: 'live', name: 'Everyday' });
  t.has(identity.calls.at(-1), {
    method: 'CreateProgram',
    environment: 'live',
    request: {
      clientId: client.id,
      status: 'PAUSED',
      limitCeilings: { maxDailyAmount: '1000.5' },
    },
  });
  const change = { status: 'PAUSED', name: 'Paused' };
  const patched = await gateway.operate('PATCH', `/sandbox/programs/${newId('program')}`, change);
  t.match(patched.json, change);
  t.match(identity.calls.at(-1), { method: 'UpdateProgram', environment: 'sandbox' });
  const nowhere = `/moon/programs/${newId('program')}`;
  t.equal((await gateway.operate('PATCH', nowhere, change)).status, 422);
  const bad = {
    environment: 'live',
    name: 'x',
    rails: [],
    limit_ceilings: { max_daily_amount: -1 },
  };
  t.equal((await gateway.operate('POST', `/clients/${client.id}/programs`, bad)).status, 422);
  const orphan = { environment: 'live', name: 'x', rails: ['card'] };
  const nobody = await gateway.operate('POST', `/clients/${newId('client')}/programs`, orphan);
  t.equal(nobody.status, 404);

  const tier = { verification_status: 'FAILED', risk_tier: 'HIGH' };
  const updated = await gateway.operate('PATCH', `/sandbox/principals/${principal}`, tier);
  t.match(updated.json, { id: principal, verification_status: 'FAILED' });
  t.match(identity.calls.at(-1), {
    method: 'UpdatePrincipal',
    environment: 'sandbox',
    request: { id: principal, verificationStatus: 'FAILED', riskTier: 'HIGH' },
  });
  const missing = `/sandbox/principals/${newId('principal')}`;
  t.equal((await gateway.operate('PATCH', missing, tier)).status, 404);
});

test('the signing keys of the named environment are rotated, and no others', async (t) => {
  for (const environment of ['live', 'sandbox']) {
    const { json } = await gateway.operate('POST', '/signing-keys/rotate', { environment });
    t.same(json, { active_kid: `active-${environment}`, next_kid: `next-${environment}` });
  }
});

test('a verification provider is known by its signature, of this moment', async (t) => {
  const client = await gateway.client(identity, 1);
  t.ok(client.principals[0]);
  type Sign = (body: string) => string;
  const send = async (result: object, sign: Sign, base = gateway.internalUrl) => {
    const body = JSON.stringify(result);
    const url = `${base}/internal/v1/sandbox/verification-callbacks`;
    const headers = { 'Content-Type': 'application/json', 'X-Service-Signature': sign(body) };
    const answer = await answerOf(await fetch(url, { method: 'POST', body, headers }));
    const path = '/internal/v1/sandbox/verification-callbacks';
    t.equal(operatorMistake({ method: 'POST', path }, answer), null);
    return answer.status;
  };
  const signed = (key: string) => (body: string) =>
    `sha256=${createHmac('sha256', key).update(body).digest('hex')}`;
  const result = {
    verification_session_id: newId('verificationSession'),
    status: 'VERIFIED',
    timestamp: new Date().toISOString(),
  };
  t.equal(await send(result, signed(secret)), 200);
  t.match(identity.calls.at(-1)?.request, {
    verificationSessionId: result.verification_session_id,
    verificationStatus: 'VERIFIED',
  });
  t.equal(await send(result, signed('another')), 403);
  t.equal(await send(result, () => 'sha256=00'), 403);
  for (const awayMs of [-400_000, 400_000]) {
    const timestamp = new Date(Date.now() + awayMs).toISOString();
    t.equal(await send({ ...result, timestamp }, signed(secret)), 403);
  }
  t.equal(await send({ ...result, status: 'MAYBE' }, signed(secret)), 422);
  const { internalUrl } = await world.replica();
  t.equal(await send(result, signed(''), internalUrl), 403, 'where nobody has a secret');
});

test('the interface describes itself, to whoever has the key', async (t) => {
  for (const path of ['/openapi.json', '/docs']) {
    const url = `${gateway.internalUrl}/internal/v1${path}`;
    t.equal((await fetch(url)).status, 403, path);
    t.equal((await gateway.call(`/internal/v1${path}`)).status, 404, 'not on the public listener');
  }
  const { json, headers } = await gateway.operate('GET', '/openapi.json');
  t.equal(headers.get('content-type'), 'application/json; charset=utf-8');
  t.equal(headers.get('cache-control'), 'no-store');
  t.equal(json.paths['/internal/v1/clients'].post.operationId, 'client.create');
  const page = await gateway.operate('GET', '/docs');
  t.match(page.headers.get('content-type'), /^text\/html/);
  t.match(page.headers.get('content-security-policy'), /style-src 'sha256-/);
  t.match(page.text, 'Suspend a Client');
  const trail = await gateway.operate('GET', '/audit-events?limit=3');
  const actions = trail.json.data.map(({ action }: { action: string }) => action);
  t.same(actions, ['audit.list', 'docs.read', 'openapi.read']);
});

test('every call is on the audit trail, and the trail cannot be changed', async (t) => {
  const made = await gateway.operate('POST', '/clients', { name: 'Audited' });
  const { api_key: key } = await gateway.key(made.json.id);
  await gateway.operate('PATCH', `/clients/${newId('client')}`, { status: 'ACTIVE' });
  await gateway.operate('POST', '/clients', { name: '' });
  await gateway.operate('POST', '/clients', { name: 'nul \0' });
  await fetch(`${gateway.internalUrl}/internal/v1/clients`);
  const { json, text } = await gateway.operate('GET', '/audit-events?limit=100');
  const [, refused, nul, invalid, missing, issued, created] = json.data;
  t.match(created, {
    id: /^aud_/,
    action: 'client.create',
    target: made.json.id,
    status: 201,
    error_code: null,
    body: { name: 'Audited' },
  });
  t.match(issued, { action: 'credential.issue', environment: 'sandbox', status: 201 });
  t.match(missing, { action: 'client.update', status: 404, error_code: 'NOT_FOUND' });
  t.match(invalid, { action: 'client.create', status: 422, error_code: 'VALIDATION_ERROR' });
  t.match(nul, { action: 'client.create', status: 422, body: null });
  t.match(refused, { action: 'client.list', status: 403, error_code: 'ERROR' });
  t.notMatch(text, key);
  t.notMatch(text, adminKey);

  const { pool } = gateway.context;
  for (const table of ['operator_audit', 'operator_audit_outcome']) {
    for (const sql of [`DELETE FROM ${table}`, `TRUNCATE ${table} CASCADE`]) {
      await t.rejects(pool.query(sql), { message: /append-only/ }, sql);
    }
  }
  await t.rejects(pool.query(`UPDATE operator_audit SET action = 'x'`), /append-only/);
});

test('nothing is carried out that cannot be written down', async (t) => {
  const { pool } = gateway.context;
  await pool.query('ALTER TABLE operator_audit RENAME TO hidden');
  const before = await pool.query('SELECT count(*)::int AS n FROM client');
  const refused = await gateway.operate('POST', '/clients', { name: 'Ghost' });
  t.equal(refused.status, 500);
  const after = await pool.query('SELECT count(*)::int AS n FROM client');
  t.equal(after.rows[0].n, before.rows[0].n);
  await pool.query('ALTER TABLE hidden RENAME TO operator_audit');
});

test('whatever the driver says of a database that is away, it is told as that', async (t) => {
  const cut = await world.replica();
  const coded = ['ECONNREFUSED', 'EHOSTUNREACH', '25006'];
  const away = [
    ...coded.map((code) => Object.assign(new Error('no'), { code })),
    new Error('Query read timeout'),
  ];
  for (const error of away) {
    cut.context.pool.query = () => Promise.reject(error);
    const answer = await cut.operateOnce('GET', '/clients');
    t.match(answer, { status: 503, json: { error: { code: 'SERVICE_UNAVAILABLE' } } });
  }
});
