import { newId } from '@countersign/kernel/id';
import { freshKeyPair } from '@countersign/runtime/fresh-key-pair';
import { createLocalJWKSet, jwtVerify, SignJWT } from 'jose';
import * as oauth from 'oauth4webapi';
import { t as file, test } from 'tap';
import { newApiKey } from '../authentication/secrets.js';
import { newAddress, type Replica, World } from './world.js';

const world = await World.start();
file.teardown(() => world.close());
const first = await world.replica({ RATE_LIMIT_MULTIPLIER: '0' });
const second = await world.replica({ RATE_LIMIT_MULTIPLIER: '0' });
const { identity } = world;
const path = '/api/v1/oauth/token';
const agents = '/api/v1/agents';

async function oauthClient(terms: Record<string, unknown> = {}, principals = 1) {
  const client = await first.client(identity, principals);
  const issued = await first.key(client.id, { kind: 'oauth_client', ...terms });
  return { client, issued, id: issued.oauth_client_id, secret: issued.client_secret };
}

function ask(fields: Record<string, string>, replica: Replica = first, ip = newAddress()) {
  const body = { grant_type: 'client_credentials', ...fields };
  return replica.call(path, { body, ip });
}

for (const [name, authenticate] of [
  ['in the body', oauth.ClientSecretPost],
  ['by HTTP Basic', oauth.ClientSecretBasic],
] as const) {
  test(`an unmodified client library gets a token that works: ${name}`, async (t) => {
    const { client, id, secret } = await oauthClient();
    const server = { issuer: 'https://api.test', token_endpoint: `${first.url}${path}` };
    const response = await oauth.clientCredentialsGrantRequest(
      server,
      { client_id: id },
      authenticate(secret),
      new URLSearchParams(),
      { [oauth.allowInsecureRequests]: true, headers: { 'X-Forwarded-For': newAddress() } },
    );
    t.match(response.headers.get('cache-control'), 'no-store');
    t.match(response.headers.get('pragma'), 'no-cache');
    const result = await oauth.processClientCredentialsResponse(
      server,
      { client_id: id },
      response,
    );
    t.match(result, { token_type: 'bearer', expires_in: 900, scope: '*' });
    const { status, json } = await second.call(agents, { token: result.access_token });
    t.equal(status, 200);
    t.match(json, {
      tenant: { principalId: client.principals[0] },
      caller: { kind: 'access_token', clientId: client.id, environment: 'sandbox' },
    });
  });

  test(`it reads our refusals: ${name}`, async (t) => {
    const { id } = await oauthClient();
    const server = { issuer: 'https://api.test', token_endpoint: `${first.url}${path}` };
    const options = {
      [oauth.allowInsecureRequests]: true,
      headers: { 'X-Forwarded-For': newAddress() },
    };
    const response = await oauth.clientCredentialsGrantRequest(
      server,
      { client_id: id },
      authenticate('svcos_wrong'),
      new URLSearchParams(),
      options,
    );
    t.equal(response.status, 401);
    const error = await oauth
      .processClientCredentialsResponse(server, { client_id: id }, response)
      .catch((thrown: unknown) => thrown);
    t.ok(
      error instanceof oauth.ResponseBodyError ||
        error instanceof oauth.WWWAuthenticateChallengeError,
    );
  });
}

test('the token says what it should, and verifies against the published key', async (t) => {
  const { client, issued, id, secret } = await oauthClient({
    environment: 'live',
    scopes: 'agents,authorize',
  });
  const { json } = await ask({ client_id: id, client_secret: secret });
  t.same(Object.keys(json), ['access_token', 'token_type', 'expires_in', 'scope']);
  t.equal(json.scope, 'agents authorize');
  const { tokenKeys } = first.context;
  const keys = await tokenKeys.publicKeys(['live', 'sandbox']);
  const live = await tokenKeys.signingKey('live');
  const sandbox = await tokenKeys.signingKey('sandbox');
  t.same(keys.map(({ kid }) => kid).sort(), [live.kid, sandbox.kid].sort());
  const jwks = createLocalJWKSet({ keys: keys.map(({ jwk }) => jwk) });
  const { payload, protectedHeader } = await jwtVerify(json.access_token, jwks, {
    issuer: 'https://api.test',
    typ: 'at+jwt',
  });
  t.match(protectedHeader, { alg: 'ES256', kid: live.kid });
  t.match(payload, {
    sub: client.id,
    client_id: id,
    acr: issued.id,
    env: 'live',
    scope: 'agents authorize',
    jti: String,
  });
  t.equal((payload.exp ?? 0) - (payload.iat ?? 0), 900);
  t.equal(payload.prn, undefined);
  t.notOk(
    keys.some(({ jwk }) => 'd' in jwk),
    'no private half is published',
  );
  const { rows } = await first.context.pool.query('SELECT * FROM token_key');
  t.notMatch(JSON.stringify(rows), /"d":/);
});

test('scope and environment are frozen into a token; its credential is looked at', async (t) => {
  const { client, issued, id, secret } = await oauthClient({ scopes: 'agents' });
  const { access_token: token } = (await ask({ client_id: id, client_secret: secret })).json;
  t.equal((await first.call(agents, { token })).status, 200);
  const write = { token, body: { amount: 1 } };
  t.equal((await first.call('/api/v1/mandates', write)).status, 403);
  await first.operate('PATCH', `/credentials/${issued.id}`, { scopes: '' });
  t.equal((await first.call('/api/v1/mandates', write)).status, 403, 'frozen');
  await first.operate('PATCH', `/credentials/${issued.id}`, { ip_allowlist: ['192.0.2.1'] });
  t.equal((await second.call(agents, { token })).status, 403);
  await first.operate('PATCH', `/credentials/${issued.id}`, { ip_allowlist: [] });
  t.equal((await second.call(agents, { token })).status, 200);
  await first.operate('PATCH', `/clients/${client.id}`, { status: 'SUSPENDED' });
  t.equal((await second.call(agents, { token })).status, 401);
  await first.operate('PATCH', `/clients/${client.id}`, { status: 'ACTIVE' });
  t.equal((await second.call(agents, { token })).status, 200);
  await first.operate('POST', `/credentials/${issued.id}/revoke`);
  for (const replica of [first, second]) {
    t.match(await replica.call(agents, { token }), {
      status: 401,
      json: { error: { code: 'ERROR' } },
    });
  }
  t.match(await ask({ client_id: id, client_secret: secret }), {
    status: 401,
    json: { error: 'invalid_client' },
  });
});

test('a token ends with its lifetime, and with its credential', async (t) => {
  let now = Date.now();
  const clock = await world.replica({ RATE_LIMIT_MULTIPLIER: '0' }, { clock: () => now });
  const lasting = await oauthClient();
  const { json } = await ask({ client_id: lasting.id, client_secret: lasting.secret }, clock);
  const expires_at = new Date(now + 300_500).toISOString();
  const ending = await oauthClient({ expires_at });
  const short = await ask({ client_id: ending.id, client_secret: ending.secret }, clock);
  t.ok(short.json.expires_in <= 301 && short.json.expires_in >= 299);
  t.equal((await clock.call(agents, { token: json.access_token })).status, 200);
  t.equal((await clock.call(agents, { token: short.json.access_token })).status, 200);
  now += 301_000;
  t.equal((await clock.call(agents, { token: short.json.access_token })).status, 401);
  t.equal((await clock.call(agents, { token: json.access_token })).status, 200);
  now += 601_000;
  t.equal((await clock.call(agents, { token: json.access_token })).status, 401);
});

test('forged, foreign and unsigned tokens are refused', async (t) => {
  const { id, secret } = await oauthClient();
  const { access_token: token } = (await ask({ client_id: id, client_secret: secret })).json;
  const [head = '', body = '', signature = ''] = token.split('.');
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString());
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const { privateKey } = freshKeyPair('P-256');
  const { kid } = JSON.parse(Buffer.from(head, 'base64url').toString());
  const own = (await first.context.tokenKeys.signingKey('sandbox')).privateKey;
  const signed = (changed: object, { key = own, typ = 'at+jwt' } = {}) =>
    new SignJWT({ ...claims, ...changed }).setProtectedHeader({ alg: 'ES256', typ, kid }).sign(key);
  t.equal((await first.call(agents, { token: await signed({}) })).status, 200);
  const live = `${head}.${encode({ ...claims, env: 'live' })}.${signature}`;
  const none = `${encode({ alg: 'none', typ: 'at+jwt', kid })}.${body}.`;
  for (const bad of [
    await signed({}, { key: privateKey }),
    await signed({ env: 'live' }),
    await signed({}, { typ: 'JWT' }),
    await signed({ iss: 'https://other.test' }),
    await signed({ aud: 'https://other.test' }),
    live,
    none,
    'x',
    'a.b.c',
    `${token}x`,
    '..',
    token.slice(0, -3),
  ]) {
    const { status, json } = await first.call(agents, { token: bad, ip: newAddress() });
    t.equal(status, 401);
    t.match(json.error.code, /^(ERROR|INVALID_API_KEY)$/);
  }
  const onboarding = await first.call('/api/v1/programs', { token });
  t.match(onboarding, { status: 401, json: { error: { code: 'INVALID_API_KEY' } } });
});

test("a Principal's key is exchanged under its id, and takes its tokens with it", async (t) => {
  const client = await first.client(identity, 2);
  const [principal = '', sibling = ''] = client.principals;
  const { api_key: clientKey } = await first.key(client.id);
  const minted = await first.call(`/api/v1/principals/${principal}/sandbox-key`, {
    method: 'POST',
    key: clientKey,
  });
  const key = minted.json.api_key;
  const answer = await ask({ client_id: principal, client_secret: key });
  t.equal(answer.status, 200);
  const token = answer.json.access_token;
  const payload = JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString());
  t.match(payload, { sub: principal, client_id: principal, prn: principal, env: 'sandbox' });
  const headers = { 'X-Principal-Id': sibling };
  t.equal((await first.call(agents, { token, headers })).json.tenant.principalId, principal);
  for (const [id, secret] of [
    [sibling, key],
    [principal, clientKey],
    [principal, newApiKey('sandbox')],
    [client.id, clientKey],
  ]) {
    const refused = await ask({ client_id: id ?? '', client_secret: secret });
    t.match(refused, { status: 401, json: { error: 'invalid_client' } });
  }
  const listed = await first.operate('GET', `/clients/${client.id}/credentials`);
  const record = listed.json.data.find((row: { kind: string }) => row.kind === 'principal_key');
  await first.operate('POST', `/credentials/${record.id}/revoke`);
  t.equal((await second.call(agents, { token })).status, 401);
});

test('a client with an allowlist gets its tokens from there alone', async (t) => {
  const home = newAddress();
  const { id, secret } = await oauthClient({ ip_allowlist: [home] });
  const given = { client_id: id, client_secret: secret };
  t.match(await ask(given, first, newAddress()), {
    status: 403,
    json: { error: 'unauthorized_client', error_description: /from this address/ },
  });
  t.equal((await ask(given, first, home)).status, 200);
});

test('every error of the endpoint, in the words of RFC 6749', async (t) => {
  const { id, secret } = await oauthClient({ scopes: 'agents' });
  const form = (fields: Record<string, string> | string) =>
    first.call(path, {
      raw: new URLSearchParams(fields).toString(),
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      ip: newAddress(),
    });
  const good = { grant_type: 'client_credentials', client_id: id, client_secret: secret };
  const expected: Array<[Record<string, string> | string, number, string]> = [
    [{}, 400, 'unsupported_grant_type'],
    [{ ...good, grant_type: 'password' }, 400, 'unsupported_grant_type'],
    [{ grant_type: 'client_credentials', client_secret: secret }, 400, 'invalid_request'],
    [{ grant_type: 'client_credentials', client_id: id }, 400, 'invalid_request'],
    [`grant_type=client_credentials&client_id=a&client_id=b`, 400, 'invalid_request'],
    [{ ...good, client_secret: 'nul\0' }, 400, 'invalid_request'],
    [{ ...good, client_secret: 'svcos_wrong' }, 401, 'invalid_client'],
    [
      { ...good, client_id: id.replace(/.$/, (last: string) => (last === '0' ? '1' : '0')) },
      401,
      'invalid_client',
    ],
    [{ ...good, client_id: 'me' }, 401, 'invalid_client'],
    [{ ...good, scope: 'mandates' }, 400, 'invalid_scope'],
    [{ ...good, scope: 'agents mandates' }, 400, 'invalid_scope'],
  ];
  for (const [fields, status, error] of expected) {
    const answer = await form(fields);
    t.match(answer, { status, json: { error, error_description: String } });
    t.same(Object.keys(answer.json), ['error', 'error_description']);
    t.equal(answer.headers.get('cache-control'), 'no-store');
    t.equal(answer.headers.get('pragma'), 'no-cache');
  }
  for (const scope of ['agents', '*', ' ', 'agents  agents']) {
    t.equal((await form({ ...good, scope })).json.scope, 'agents', 'what the credential has');
  }
  const { id: all, secret: its } = await oauthClient();
  const ofAll = { grant_type: 'client_credentials', client_id: all, client_secret: its };
  for (const scope of ['agents,authorize', 'agents unheard-of', 'AGENTS', 'x'.repeat(6_000)]) {
    const answer = await form({ ...ofAll, scope });
    t.match(answer, { status: 400, json: { error: 'invalid_scope' } }, scope.slice(0, 20));
    t.match(answer.json.error_description, /authorize, agents, .* separated by spaces/);
  }
  t.equal((await form({ ...ofAll, scope: 'risk agents' })).json.scope, 'risk agents');
  for (const raw of ['{"grant_type":', 'null', '[]', '1']) {
    const json = await first.call(path, { raw, ip: newAddress() });
    t.match(json, { status: 400, json: { error: 'invalid_request' } }, raw);
  }
  const xml = { raw: '<x/>', headers: { 'Content-Type': 'text/xml' } };
  const unreadable = { error: 'invalid_request', error_description: /^The body must / };
  t.match(await first.call(path, xml), { status: 415, json: unreadable });
  t.match(await first.call(path, { raw: 'x'.repeat(20_000) }), { status: 413, json: unreadable });
  const packed = { ...xml, headers: { 'Content-Encoding': 'gzip' } };
  t.match(await first.call(path, packed), { status: 415, json: unreadable });
  t.equal((await first.call(path)).status, 405);
  const Authorization = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
  const twice = await first.call(path, { body: good, headers: { Authorization } });
  t.match(twice, { status: 400, json: { error: 'invalid_request' } }, 'a secret in two places');
});

test('who comes with HTTP Basic and is not known gets its challenge, nobody else', async (t) => {
  const { id } = await oauthClient();
  const wrong = 'svcos_wrong';
  const challenge = async (sent: Record<string, string>, headers = {}) => {
    const body = { grant_type: 'client_credentials', ...sent };
    const answer = await first.call(path, { body, headers, ip: newAddress() });
    return [answer.status, answer.headers.get('www-authenticate')];
  };
  for (const scheme of ['Basic', 'basic']) {
    const Authorization = `${scheme} ${Buffer.from(`${id}:${wrong}`).toString('base64')}`;
    t.same(await challenge({}, { Authorization }), [401, 'Basic realm="token"']);
  }
  t.same(await challenge({ client_id: id, client_secret: wrong }), [401, null]);
  for (const unreadable of ['nul%00:x', '%zz:x', `${id}:%zz`, `${id}:`, ':x', '']) {
    const Authorization = `Basic ${Buffer.from(unreadable).toString('base64')}`;
    t.same(await challenge({}, { Authorization }), [400, null], unreadable);
  }
});

test('OAuth is switched by environment: 404, and Bearer refused', async (t) => {
  const live = await oauthClient({ environment: 'live' });
  const sandbox = await oauthClient();
  const token = async (given: typeof live) =>
    (await ask({ client_id: given.id, client_secret: given.secret })).json.access_token;
  const [liveToken, sandboxToken] = [await token(live), await token(sandbox)];
  const half = await world.replica({ OAUTH_ENVIRONMENTS: 'sandbox', RATE_LIMIT_MULTIPLIER: '0' });
  const off = await world.replica({ OAUTH_ENVIRONMENTS: 'none', RATE_LIMIT_MULTIPLIER: '0' });
  const status = async (replica: Replica, given: typeof live) =>
    (await ask({ client_id: given.id, client_secret: given.secret }, replica)).status;
  t.equal(await status(half, live), 404);
  t.equal(await status(half, sandbox), 200);
  t.equal(await status(off, sandbox), 404);
  const nothing = { client_id: live.id };
  const principal = { client_id: newId('principal') };
  for (const [replica, body] of [
    [half, { grant_type: 'client_credentials', ...nothing }],
    [half, nothing],
    [half, { grant_type: 'password', client_id: live.id, client_secret: live.secret }],
    [off, { grant_type: 'client_credentials', ...principal }],
  ] as const) {
    const answer = await replica.call(path, { body, ip: newAddress() });
    t.equal(answer.status, 404, JSON.stringify(body));
  }
  const missing = { grant_type: 'client_credentials', ...principal };
  t.equal((await half.call(path, { body: missing, ip: newAddress() })).status, 400);
  t.equal((await half.call(agents, { token: liveToken })).status, 401);
  t.equal((await half.call(agents, { token: sandboxToken })).status, 200);
  t.equal((await off.call(agents, { token: sandboxToken })).status, 401);
});

test('ten exchanges a minute for a client id; failed ones count for their address', async (t) => {
  const limited = await world.replica();
  const { id, secret } = await oauthClient();
  const statuses: number[] = [];
  for (let n = 0; n < 11; n += 1) {
    statuses.push((await ask({ client_id: id, client_secret: secret }, limited)).status);
  }
  t.same(statuses, [...Array(10).fill(200), 429]);
  const ip = newAddress();
  for (let n = 0; n < 10; n += 1) {
    const answer = await ask({ client_id: `svcoc_x${n}`, client_secret: 'x' }, limited, ip);
    t.equal(answer.status, 401);
  }
  const blocked = await ask({ client_id: 'another', client_secret: 'x' }, limited, ip);
  t.equal(blocked.status, 429);
  const failures = 'Too many failed authentications from this address; wait before trying again.';
  t.equal(blocked.json.error_description, failures);
  t.ok(Number(blocked.headers.get('retry-after')) > 100);
  const key = await limited.call(agents, { key: newApiKey('live'), ip });
  t.equal(key.status, 429, 'and for keys as well');
  t.equal(key.json.error.message, failures);
});

test('whoever has failed too often is refused before what he sends is looked at', async (t) => {
  const limited = await world.replica();
  const ip = newAddress();
  for (let n = 0; n < 10; n += 1) {
    await ask({ client_id: `svcoc_x${n}`, client_secret: 'x' }, limited, ip);
  }
  const unread = await limited.call(path, { raw: '{"grant_type":', ip });
  t.match(unread, { status: 429, json: { error: 'temporarily_unavailable' } });
  const empty = await limited.call(path, { method: 'POST', ip });
  t.equal(empty.status, 429);
  const elsewhere = await limited.call(path, { raw: '{"grant_type":', ip: newAddress() });
  t.equal(elsewhere.status, 400);
  const off = await world.replica({ OAUTH_ENVIRONMENTS: 'none' });
  t.equal((await off.call(path, { raw: '{"grant_type":', ip })).status, 404, 'where it is off');
});

test('a verified token is not verified again', async (t) => {
  const { id, secret } = await oauthClient();
  const { access_token: token } = (await ask({ client_id: id, client_secret: secret })).json;
  const { tokens } = first.context.authentication;
  const one = await tokens.verify(token);
  t.equal(await tokens.verify(token), one, 'the same object');
});
