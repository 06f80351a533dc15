import { newId } from '@countersign/kernel/id';
import { t as file, test } from 'tap';
import { World } from './world.js';

const world = await World.start();
file.teardown(() => world.close());
const gateway = await world.replica({ RATE_LIMIT_MULTIPLIER: '0' });
const { identity } = world;
const agents = '/api/v1/agents';
const authorize = '/api/v1/authorize';

async function clientWithKey(principals: number) {
  const client = await gateway.client(identity, principals);
  const { api_key: key } = await gateway.key(client.id);
  return { ...client, key };
}

test('the acting Principal on the runtime plane, row by row', async (t) => {
  const one = await clientWithKey(1);
  const two = await clientWithKey(2);
  const none = await clientWithKey(0);
  const as = (key: string, principal?: string) =>
    gateway.call(agents, {
      key,
      ...(principal !== undefined && { headers: { 'X-Principal-Id': principal } }),
    });

  const named = await as(two.key, two.principals[1]);
  t.equal(named.json.tenant.principalId, two.principals[1], 'the one that is named');
  const sole = await as(one.key);
  t.equal(sole.json.tenant.principalId, one.principals[0], 'the only one');
  const errors = [{ field: 'X-Principal-Id', type: 'principal_required' }];
  const nobodyNamed = { status: 401, json: { error: { code: 'ERROR', details: { errors } } } };
  t.match(await as(two.key), nobodyNamed, 'several');
  t.match(await as(none.key), nobodyNamed, 'none');

  const foreign = await as(one.key, two.principals[0]);
  const nobody = await as(one.key, newId('principal'));
  const before = identity.calls.length;
  const rubbish = await as(one.key, 'prn_../../etc');
  t.equal(identity.calls.length, before, 'identity need not be asked about it');
  t.equal(foreign.status, 403);
  for (const { status, json } of [nobody, rubbish]) {
    t.equal(status, 403);
    t.equal(json.error.message, foreign.json.error.message, 'existence is not revealed');
    t.equal(json.error.code, 'ERROR');
  }
});

test('a Principal named on /authorize is a claim until it is known whose it is', async (t) => {
  const { key, principals } = await clientWithKey(2);
  const [own = ''] = principals;
  const foreign = newId('principal');
  const call = (principal: string | null, body: unknown = { amount: 1 }) =>
    gateway.call(authorize, {
      key,
      body,
      headers: principal === null ? {} : { 'X-Principal-Id': principal },
    });
  const before = identity.calls.length;
  t.match(await call(null), { status: 200, json: { named: null, claimed: null } });
  t.match(await call(own), { status: 200, json: { named: null, claimed: own } });
  t.match(await call(foreign), { status: 200, json: { named: null, claimed: foreign } });
  t.equal((await call('prn_../../etc')).status, 403, 'not even the form of one');
  t.equal(identity.calls.length, before, 'identity is not asked from here');

  const wrong = { amount: 'much' };
  t.equal((await call(foreign, wrong)).status, 403, 'before anything is said of the body');
  for (const outage of ['unavailable', 'deadline', 'internal'] as const) {
    identity.away = outage;
    t.equal((await call(own, wrong)).status, 422, `${outage}: nobody can say more`);
  }
  identity.away = false;
  t.equal((await call(own, wrong)).status, 422);
  t.match(await call(own), { status: 200, json: { named: own, claimed: null } }, 'from now on');
});

test('identity is asked once whose a Principal is; with it away reads go on', async (t) => {
  const client = await clientWithKey(2);
  const [known = '', unknown = ''] = client.principals;
  const call = (principal: string) =>
    gateway.call(agents, {
      key: client.key,
      headers: { 'X-Principal-Id': principal },
      once: true,
    });
  await call(known);
  const before = identity.calls.length;
  await call(known);
  t.equal(identity.calls.length, before, 'that it belongs to the Client never changes');
  identity.away = true;
  t.equal((await call(known)).status, 200);
  const { status, headers } = await call(unknown);
  t.same([status, headers.get('retry-after')], [503, '1']);
  identity.away = false;
});

test("a Principal that is known to be one Client's is nobody else's for it", async (t) => {
  const client = await clientWithKey(2);
  const [known = ''] = client.principals;
  const headers = { 'X-Principal-Id': known };
  t.equal((await gateway.call(agents, { key: client.key, headers })).status, 200);
  const other = await clientWithKey(1);
  t.equal((await gateway.call(agents, { key: other.key, headers })).status, 403);
  const claimed = { status: 200, json: { named: null, claimed: known } };
  const pay = (key: string) => gateway.call(authorize, { key, headers, body: { amount: 1 } });
  t.match(await pay(other.key), claimed);
  const { api_key: live } = await gateway.key(client.id, { environment: 'live' });
  t.match(await pay(live), claimed, 'nor is it known in the other environment');
});

test('the key of a Principal acts for no other, whatever the header names', async (t) => {
  const client = await clientWithKey(2);
  const [own = '', sibling = ''] = client.principals;
  const path = `/api/v1/principals/${own}/sandbox-key`;
  const { json } = await gateway.call(path, { method: 'POST', key: client.key });
  const given = { key: json.api_key, headers: { 'X-Principal-Id': sibling } };
  const before = identity.calls.length;
  t.match((await gateway.call(agents, given)).json, { tenant: { principalId: own } });
  t.equal(identity.calls.length, before, 'whose it is needs no proof');
  const paid = await gateway.call(authorize, { ...given, body: { amount: 1 } });
  t.match(paid.json, { named: own, claimed: null });
});

test('a Principal that is not verified reads, and writes only what is allowed', async (t) => {
  const client = await clientWithKey(1);
  const [principal = ''] = client.principals;
  const minted = await gateway.call(`/api/v1/principals/${principal}/sandbox-key`, {
    method: 'POST',
    key: client.key,
  });
  for (const key of [client.key, minted.json.api_key]) {
    identity.setStatus(principal, 'PENDING');
    t.equal((await gateway.call(agents, { key })).status, 200);
    for (const status of ['PENDING', 'FAILED', 'EXPIRED']) {
      identity.setStatus(principal, status);
      const write = await gateway.call('/api/v1/mandates', { key, body: { amount: 1 } });
      t.match(write, { status: 403, json: { error: { code: 'KYC_REQUIRED' } } }, status);
    }
    t.equal((await gateway.call('/api/v1/outcomes', { method: 'POST', key })).status, 201);
    t.equal((await gateway.call(authorize, { key, body: { amount: 1 } })).status, 200);
    identity.setStatus(principal, 'VERIFIED');
    const verified = await gateway.call('/api/v1/mandates', { key, body: { amount: 1 } });
    t.equal(verified.status, 201, 'and everything from the moment it is verified');
  }
});

test('scopes: what is not covered is a 403; a path without one needs full access', async (t) => {
  const client = await gateway.client(identity);
  const { api_key: full } = await gateway.key(client.id, { scopes: '*' });
  const { api_key: some } = await gateway.key(client.id, { scopes: 'agents, outcomes' });
  const status = async (key: string, path: string, body?: unknown) =>
    (await gateway.call(path, { key, body })).status;
  t.equal(await status(some, agents), 200);
  t.equal(await status(some, `${agents}/agt_1`), 200);
  t.equal(await status(some, '/api/v1/outcomes', {}), 201);
  t.equal(await status(some, authorize, { amount: 1 }), 403);
  t.equal(await status(some, '/api/v1/mandates', { amount: 1 }), 403);
  t.equal(await status(some, '/api/v1/programs'), 403);
  t.equal(await status(some, '/api/v1/vault'), 403, 'no scope covers it');
  t.equal(await status(full, '/api/v1/vault'), 200);
  t.equal(await status(full, '/api/v1/programs'), 200);
  const missing = await gateway.call('/api/v1/mandates', { key: some, body: { amount: 1 } });
  t.match(missing.json.error, {
    code: 'ERROR',
    details: { errors: [{ type: 'scope_missing', message: 'needs the scope mandates' }] },
  });
});

test('the allowlist looks at the address that trusted proxies vouch for', async (t) => {
  const client = await gateway.client(identity);
  const { api_key: key } = await gateway.key(client.id, {
    ip_allowlist: ['198.51.100.7', '2001:db8::/32'],
  });
  const from = async (ip: string) => (await gateway.call(agents, { key, ip })).status;
  t.equal(await from('198.51.100.7'), 200);
  t.equal(await from('198.51.100.8'), 403);
  t.equal(await from('2001:db8:1::1'), 200);
  t.equal(await from('2001:db9::1'), 403);
  t.equal(
    await from('198.51.100.7, 203.0.113.9'),
    403,
    'what a caller writes itself is not believed',
  );
  t.equal(await from('203.0.113.9, 198.51.100.7'), 200);
  t.equal(await from('198.51.100.7, 127.0.0.1'), 200, 'trusted hops are walked past');
  t.equal(await from('::ffff:198.51.100.7'), 200);
  t.equal(await from('198.51.100.7:4711'), 200);
  t.equal(await from('rubbish'), 403);
  const refused = await gateway.call(agents, { key, ip: '198.51.100.8' });
  t.match(
    refused.json.error,
    { code: 'ERROR', details: { errors: [{ type: 'address_not_allowed' }] } },
    'which is told apart from a scope that is missing',
  );

  const direct = await world.replica({ TRUSTED_PROXIES: '' });
  const spoofed = await direct.call(agents, { key, ip: '198.51.100.7' });
  t.equal(spoofed.status, 403, 'without trusted proxies the header is nothing');
});

test('onboarding takes Client keys alone, and live and sandbox do not meet', async (t) => {
  const client = await gateway.client(identity);
  const { api_key: live } = await gateway.key(client.id, { environment: 'live' });
  const { api_key: sandbox } = await gateway.key(client.id);
  for (const [key, environment] of [
    [live, 'live'],
    [sandbox, 'sandbox'],
  ] as const) {
    const { json } = await gateway.call('/api/v1/programs', { key });
    t.equal(json.caller.environment, environment);
    await gateway.call(agents, { key, headers: { 'X-Request-ID': `asked-in-${environment}` } });
    const asked = identity.calls.find(({ requestId }) => requestId === `asked-in-${environment}`);
    t.equal(asked?.environment, environment, 'inner calls carry environment and request id');
  }
  const bearer = await gateway.call('/api/v1/programs', { token: 'x.y.z' });
  t.match(bearer, { status: 401, json: { error: { code: 'INVALID_API_KEY' } } });
  t.equal(bearer.headers.get('www-authenticate'), 'ApiKey, Bearer');
  for (const token of ['x.y.z', 'x y', '"x.y.z"', 'x.y.z,', 'undefined\tx', '']) {
    for (const Authorization of [`Bearer ${token}`, `bearer ${token}`]) {
      const answer = await gateway.call(agents, { headers: { Authorization } });
      t.match(answer, { status: 401, json: { error: { code: 'ERROR' } } }, Authorization);
    }
  }
  for (const Authorization of ['x.y.z', 'Bearerx.y.z', 'Basic eDp5']) {
    const answer = await gateway.call(agents, { headers: { Authorization } });
    t.match(answer, { status: 401, json: { error: { code: 'INVALID_API_KEY' } } }, Authorization);
  }
  t.equal((await gateway.call('/api/v1/public')).status, 200, 'public asks nobody');
});

test('the three envelopes, each where it belongs', async (t) => {
  const client = await clientWithKey(1);
  const { key } = client;
  const rule = (code: string) =>
    gateway.call('/api/v1/principals', {
      key,
      body: { rule: code },
      headers: { 'X-Request-ID': 'r-1' },
    });
  const flat = await rule('program_not_owned');
  t.equal(flat.status, 422);
  t.same(flat.json, {
    error: 'program_not_owned',
    message: 'A rule of business.',
    status: 422,
    request_id: 'r-1',
  });
  const validation = await gateway.call('/api/v1/principals', { key, body: {} });
  t.equal(
    validation.json.error.code,
    'VALIDATION_ERROR',
    'validation is the platform envelope there',
  );
  t.equal(
    (await gateway.call('/api/v1/principals', { body: {} })).json.error.code,
    'INVALID_API_KEY',
  );
  t.match((await rule('SOMETHING_NEW')).json.error, {
    code: 'VALIDATION_ERROR',
    details: { errors: [{ field: '', message: 'A rule of business.', type: 'SOMETHING_NEW' }] },
  });

  const platform = validation.json.error;
  t.match(platform, { message: String, request_id: String, details: { errors: Array } });
  t.equal(platform.docs_url, 'https://api.test/api/v1/docs#errors-VALIDATION_ERROR');
  const oauth = await gateway.call('/api/v1/oauth/token', { body: { grant_type: 'password' } });
  t.match(oauth.json, { error: 'unsupported_grant_type', error_description: String });
  t.equal(oauth.json.request_id, undefined);
  t.ok(oauth.headers.get('x-request-id'));
});

test('what nobody foresaw says nothing but that', async (t) => {
  const { status, json, text } = await gateway.call('/api/v1/broken');
  t.equal(status, 500);
  t.equal(json.error.code, 'INTERNAL_ERROR');
  t.notMatch(text, /secret|stack|at /);
  const { key } = await clientWithKey(1);
  identity.away = 'internal';
  const defect = await gateway.call(agents, { key });
  identity.away = false;
  t.match([defect.status, defect.json.error.message], [500, json.error.message], 'nor elsewhere');
});

test('a request id that is one is kept; anything else is replaced', async (t) => {
  const id = async (given?: string) => {
    const headers: Record<string, string> = given === undefined ? {} : { 'X-Request-ID': given };
    const { headers: answered, json } = await gateway.call('/api/v1/nothing', { headers });
    t.equal(answered.get('x-request-id'), json.error.request_id);
    return json.error.request_id;
  };
  t.equal(await id('order-42/a'), 'order-42/a');
  t.match(await id(), /^req_/);
  t.match(await id('with space'), /^req_/);
  t.match(await id('x'.repeat(129)), /^req_/);
  t.equal(await id('x'.repeat(128)), 'x'.repeat(128));
});

test('unknown paths, wrong methods and media types', async (t) => {
  const { key } = await clientWithKey(1);
  const status = async (method: string, path: string) => {
    const response = await fetch(`${gateway.url}${path}`, { method });
    const allow = response.headers.get('allow');
    return [response.status, allow];
  };
  t.same(await status('GET', '/nothing'), [404, null]);
  t.same(await status('GET', '/api/v1/agents/'), [404, null], 'a trailing slash is another path');
  t.same(await status('GET', '/API/v1/agents'), [404, null]);
  t.same(await status('DELETE', agents), [405, 'GET, HEAD']);
  t.same(await status('OPTIONS', agents), [405, 'GET, HEAD']);
  t.same(await status('PROPFIND', agents), [405, 'GET, HEAD']);
  t.same(await status('PUT', '/api/v1/principals'), [405, 'POST']);
  t.equal((await gateway.call('/nothing')).json.error.code, 'NOT_FOUND');

  const post = (headers: Record<string, string>, raw = '{"amount":"1"}') =>
    gateway.call('/api/v1/mandates', { key, raw, headers });
  t.equal((await post({ 'Content-Type': 'text/plain' })).status, 415);
  const latin = await post({ 'Content-Type': 'application/json; charset=latin1' });
  t.equal(latin.status, 415);
  t.equal(latin.json.error.message, 'The body must be in UTF-8; no other charset is accepted.');
  for (const charset of ['UTF-8', 'utf8', '"utf-8"']) {
    const type = `application/json; charset=${charset}`;
    t.equal((await post({ 'Content-Type': type })).status, 201, type);
  }
  t.equal((await post({ 'Content-Encoding': 'gzip' })).status, 415);
  t.equal((await post({ 'Content-Encoding': 'identity' })).status, 201);
  const missing = await post({}, '');
  t.equal(missing.status, 422);
  t.match(missing.json.error.details.errors, [{ field: 'amount', type: 'required' }]);
  const unknown = await gateway.call('/api/v1/outcomes', { key, body: { surprise: 1 } });
  t.match(unknown.json.error.details.errors, [{ field: 'surprise', type: 'unrecognized_keys' }]);
});

test('an Idempotency-Key is visible ASCII of a sensible length', async (t) => {
  const { key } = await clientWithKey(1);
  const call = (header?: string) =>
    gateway.call('/api/v1/principals', {
      key,
      body: { rule: 'keyed' },
      ...(header !== undefined && { headers: { 'Idempotency-Key': header } }),
    });
  t.equal((await call()).json.idempotencyKey, null);
  t.equal((await call('order-1')).json.idempotencyKey, 'order-1');
  t.equal((await call('x'.repeat(256))).status, 422);
  const both = await gateway.call('/api/v1/principals', {
    key,
    body: { surprise: 1 },
    headers: { 'Idempotency-Key': 'x'.repeat(256) },
  });
  const fields = both.json.error.details.errors.map((each: { field: string }) => each.field);
  t.ok(
    ['surprise', 'Idempotency-Key'].every((name) => fields.includes(name)),
    'with the rest',
  );
});

test('every answer carries the security headers and is not to be kept', async (t) => {
  const { headers } = await gateway.call('/api/v1/public');
  t.equal(headers.get('x-content-type-options'), 'nosniff');
  t.equal(headers.get('cache-control'), 'no-store');
  t.match(headers.get('content-security-policy'), /default-src 'none'/);
  t.equal(headers.get('x-powered-by'), null);
});
