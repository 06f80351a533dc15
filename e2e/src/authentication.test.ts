/** Chapter "Authentication" of the interface, row by row. */
import t from 'tap';
import { type Answer, type Api, api } from './api.js';
import { startInstallation } from './contract-proxy.js';
import { patience } from './patience.js';
import {
  expectStatus,
  expireSoon,
  newSpender,
  newTenant,
  onboardBody,
  operator,
  paymentBody,
  type Spender,
  type Tenant,
} from './tenant.js';

const stack = await startInstallation({
  env: { ...patience, RATE_LIMIT_MULTIPLIER: '0' },
  seed: false,
});
t.teardown(() => stack.stop());
const admin = operator(stack);
const base = stack.baseUrl;

async function credential(clientId: string, fields: Record<string, unknown>) {
  const path = `/internal/v1/clients/${clientId}/credentials`;
  const body = { environment: 'sandbox', kind: 'api_key', ...fields };
  return expectStatus(await admin.post(path, body), 201);
}

async function bearer(tenant: Tenant, fields: Record<string, unknown> = {}): Promise<string> {
  const issued = await credential(tenant.clientId, { kind: 'oauth_client', ...fields });
  const answer = await api(base).call('POST', '/api/v1/oauth/token', {
    rawBody: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: issued.oauth_client_id,
      client_secret: issued.client_secret,
    }).toString(),
    contentType: 'application/x-www-form-urlencoded',
  });
  return expectStatus(answer, 200).access_token;
}

async function principalKey(tenant: Tenant, spender: Spender): Promise<string> {
  const path = `/api/v1/principals/${spender.principalId}/sandbox-key`;
  return expectStatus(await tenant.client.post(path), 201).api_key;
}

t.test('the key formats are as documented, and select the environment', async (t) => {
  const sandbox = await newTenant(stack, 'sandbox');
  const live = await newTenant(stack, 'live');
  t.match(sandbox.apiKey, /^svc_test_[0-9A-Za-z]{49}$/);
  t.match(live.apiKey, /^svc_live_[0-9A-Za-z]{49}$/);
  const oauth = await credential(sandbox.clientId, { kind: 'oauth_client' });
  t.match(oauth.oauth_client_id, /^svcoc_test_.{26}$/);
  t.match(oauth.client_secret, /^svcos_[0-9A-Za-z]{49}$/);

  // One Client with a key for each environment sees two separate sets of data.
  const both = await newTenant(stack, 'sandbox');
  const liveKey = await credential(both.clientId, { environment: 'live' });
  const spender = await newSpender(stack, both);
  const other = api(base, { 'x-api-key': liveKey.api_key });
  const body = paymentBody(spender.agentId);
  t.same((await spender.acting.post('/api/v1/authorize', body)).body.decision, 'APPROVE');
  t.same((await other.post('/api/v1/authorize', body)).body.reason_codes, ['AGENT_NOT_FOUND']);
});

t.test('every way of having no valid credential is the same 401', async (t) => {
  const tenant = await newTenant(stack);
  const revoked = await credential(tenant.clientId, {});
  expectStatus(await admin.post(`/internal/v1/credentials/${revoked.id}/revoke`), 200);
  const expired = await credential(tenant.clientId, {});
  const { expires_at } = expectStatus(await expireSoon(admin, expired.id), 200);
  const typo = `${tenant.apiKey.slice(0, -1)}${tenant.apiKey.endsWith('A') ? 'B' : 'A'}`;
  const attempts: Record<string, Record<string, string>> = {
    missing: {},
    empty: { 'x-api-key': '' },
    malformed: { 'x-api-key': 'svc_test_short' },
    'wrong checksum': { 'x-api-key': typo },
    'not a key': { 'x-api-key': 'Bearer x' },
    revoked: { 'x-api-key': revoked.api_key },
  };
  const bodies = new Set<string>();
  for (const [name, headers] of Object.entries(attempts)) {
    const answer = await api(base, headers).get('/api/v1/agents');
    t.equal(answer.status, 401, name);
    t.equal(answer.body.error.code, 'INVALID_API_KEY', name);
    t.equal(answer.body.error.request_id, answer.headers.get('x-request-id'), name);
    bodies.add(answer.text.replaceAll(answer.body.error.request_id, 'ID'));
  }
  t.equal(bodies.size, 1, 'no hint of which part was wrong');

  const withExpired = api(base, { 'x-api-key': expired.api_key });
  const expiresAt = Date.parse(expires_at);
  let status = 0;
  while (status !== 401 && Date.now() < expiresAt + 5_000) {
    status = (await withExpired.get('/api/v1/agents')).status;
  }
  t.equal(status, 401, 'fails once past its expiry');
});

t.test('a credential works on its planes and on no other', async (t) => {
  const tenant = await newTenant(stack);
  const spender = await newSpender(stack, tenant);
  const key = await principalKey(tenant, spender);
  const token = await bearer(tenant);
  const callers: Record<string, Api> = {
    client: tenant.client,
    principal: api(base, { 'x-api-key': key }),
    token: api(base, { authorization: `Bearer ${token}` }),
    none: api(base),
  };
  // [path, method, body, then the status for: client, principal, token, none]
  type Row = [string, string, unknown, number, number, number, number];
  const onboard = () => onboardBody(tenant.programId);
  const agents = `/api/v1/principals/${spender.principalId}/agents`;
  const rows: Row[] = [
    ['/api/v1/agents', 'GET', undefined, 200, 200, 200, 401],
    ['/api/v1/webhooks', 'GET', undefined, 200, 200, 200, 401],
    ['/api/v1/thresholds', 'GET', undefined, 200, 200, 200, 401],
    ['/api/v1/authorize', 'POST', paymentBody(spender.agentId), 200, 200, 200, 401],
    [agents, 'GET', undefined, 200, 401, 401, 401],
    [agents, 'POST', { name: 'Another' }, 201, 401, 401, 401],
    [
      `/api/v1/principals/${spender.principalId}/sandbox-key`,
      'POST',
      undefined,
      201,
      401,
      401,
      401,
    ],
    ['/api/v1/programs', 'GET', undefined, 200, 401, 401, 401],
    ['/api/v1/webhooks/events', 'GET', undefined, 200, 200, 200, 200],
    ['/api/v1/reason-codes', 'GET', undefined, 200, 200, 200, 200],
    ['/api/v1/health', 'GET', undefined, 200, 200, 200, 200],
    ['/api/v1/.well-known/jwks.json', 'GET', undefined, 200, 200, 200, 200],
    ['/api/v1/public-keys', 'GET', undefined, 200, 200, 200, 200],
    ['/api/v1/onboard', 'POST', onboard(), 201, 401, 401, 401],
  ];
  for (const [path, method, body, ...statuses] of rows) {
    for (const [i, [name, caller]] of Object.entries(callers).entries()) {
      const answer = await caller.call(method, path, { body });
      t.equal(answer.status, statuses[i], `${method} ${path} with ${name}`);
    }
  }
});

t.test('the acting Principal, row by row', async (t) => {
  const tenant = await newTenant(stack);
  const stranger = await newTenant(stack);
  const foreign = await newSpender(stack, stranger);

  const nobody = await tenant.client.get('/api/v1/agents');
  t.equal(nobody.status, 401, 'a Client without Principals acts for nobody');

  const one = await newSpender(stack, tenant);
  const only = expectStatus(await tenant.client.get('/api/v1/agents'), 200);
  t.same(
    only.agents.map((agent: { id: string }) => agent.id),
    [one.agentId],
    'no header, one Principal: that one',
  );

  const two = await newSpender(stack, tenant);
  t.equal((await tenant.client.get('/api/v1/agents')).status, 401, 'no header, several');
  const named = expectStatus(await two.acting.get('/api/v1/agents'), 200);
  t.same(
    named.agents.map((agent: { id: string }) => agent.id),
    [two.agentId],
  );

  for (const [name, id] of [
    ['of another Client', foreign.principalId],
    ['of nobody', 'prn_00000000000000000000000000'],
    ['malformed', 'nonsense'],
  ] as const) {
    const headers = { 'x-principal-id': id };
    const answer = await tenant.client.get('/api/v1/agents', { headers });
    t.equal(answer.status, 403, `a header ${name}`);
  }

  // On /authorize the Principal follows from the agent.
  for (const spender of [one, two]) {
    const answer = await tenant.client.post('/api/v1/authorize', paymentBody(spender.agentId));
    t.equal(answer.body.decision, 'APPROVE');
    const entry = await spender.acting.get(`/api/v1/authorize/log/${answer.body.authorization_id}`);
    t.equal(entry.status, 200, 'recorded for the Principal that owns the agent');
  }
  const outside = await tenant.client.post('/api/v1/authorize', paymentBody(foreign.agentId));
  const nowhere = await tenant.client.post(
    '/api/v1/authorize',
    paymentBody('agt_00000000000000000000000000'),
  );
  t.same(comparable(outside.body), comparable(nowhere.body), 'elsewhere is as nowhere');
  t.match(outside.body, {
    decision: 'DECLINE',
    reason_codes: ['AGENT_NOT_FOUND'],
    kya_score: 0,
    trust_level: 'REGISTERED',
    mandate_id: null,
    attestation: null,
  });

  const crossed = await one.acting.post('/api/v1/authorize', paymentBody(two.agentId));
  t.same(crossed.body.reason_codes, ['AGENT_NOT_FOUND'], 'a named Principal owns the agent or not');

  const key = await principalKey(tenant, two);
  const asTwo = api(base, { 'x-api-key': key, 'x-principal-id': one.principalId });
  const own = expectStatus(await asTwo.get('/api/v1/agents'), 200);
  t.same(
    own.agents.map((agent: { id: string }) => agent.id),
    [two.agentId],
    'a Principal key acts for its own, whatever the header says',
  );
});

/** Without ids and times, which differ between any two responses. */
function comparable(body: Record<string, unknown>): Record<string, unknown> {
  const {
    authorization_id,
    transaction_id,
    correlation_key,
    agent_id,
    processing_time_ms,
    ...rest
  } = body;
  return {
    ...rest,
    ids: [authorization_id, transaction_id, correlation_key, agent_id].map((v) => typeof v),
    timed: typeof processing_time_ms,
  };
}

/** Some paths answer 403 for other reasons, such as a rail that is not enabled. */
function refusedForScope({ status, body }: Answer): boolean {
  return status === 403 && body.error.code === 'ERROR' && /scopes/.test(body.error.message);
}

t.test('scopes: a path is reached with its scope and with no other', async (t) => {
  const tenant = await newTenant(stack);
  const spender = await newSpender(stack, tenant);
  const { agentId, mandateId, principalId } = spender;
  const auth = 'auth_00000000000000000000000000';
  const paths: Array<[scope: string, method: string, path: string, body?: unknown]> = [
    ['authorize', 'POST', '/api/v1/authorize', paymentBody(agentId)],
    ['authorize', 'GET', `/api/v1/authorize/log/agent/${agentId}`],
    ['authorize', 'GET', '/api/v1/authorize/step-up/pending'],
    ['agents', 'GET', '/api/v1/agents'],
    ['agents', 'GET', `/api/v1/agents/${agentId}`],
    ['agents', 'GET', `/api/v1/agents/${agentId}/metrics`],
    ['mandates', 'GET', `/api/v1/mandates/${mandateId}`],
    ['mandates', 'GET', `/api/v1/mandates/agent/${agentId}`],
    ['webhooks', 'GET', '/api/v1/webhooks'],
    ['thresholds', 'GET', '/api/v1/thresholds'],
    ['principals', 'GET', `/api/v1/principals/${principalId}`],
    ['principals', 'GET', `/api/v1/principals/${principalId}/agents`],
    ['principals', 'GET', '/api/v1/programs'],
    ['principals', 'POST', '/api/v1/onboard', {}],
    ['outcomes', 'GET', `/api/v1/outcomes/${auth}`],
    ['outcomes', 'GET', `/api/v1/crypto/settlements/${auth}`],
    ['cases', 'GET', '/api/v1/cases'],
  ];
  const scopes = [...new Set(paths.map(([scope]) => scope))];
  for (const granted of scopes) {
    const { api_key } = await credential(tenant.clientId, { scopes: granted });
    const caller = api(base, { 'x-api-key': api_key });
    for (const [scope, method, path, body] of paths) {
      const answer = await caller.call(method, path, { body });
      const expected = scope !== granted;
      t.equal(refusedForScope(answer), expected, `${granted} on ${method} ${path}`);
    }
  }
  for (const full of ['', '*']) {
    const { api_key } = await credential(tenant.clientId, { scopes: full });
    const caller = api(base, { 'x-api-key': api_key });
    for (const [, method, path, body] of paths) {
      t.equal(
        refusedForScope(await caller.call(method, path, { body })),
        false,
        `"${full}" ${path}`,
      );
    }
  }
  const reserved = await credential(tenant.clientId, { scopes: 'risk,metrics,vault' });
  for (const [, method, path, body] of paths) {
    const answer = await api(base, { 'x-api-key': reserved.api_key }).call(method, path, { body });
    t.equal(refusedForScope(answer), true, `scopes of no path on ${path}`);
  }
  const several = await credential(tenant.clientId, { scopes: 'agents,mandates' });
  const caller = api(base, { 'x-api-key': several.api_key });
  t.equal((await caller.get('/api/v1/agents')).status, 200);
  t.equal((await caller.get(`/api/v1/mandates/${mandateId}`)).status, 200);
  t.equal((await caller.get('/api/v1/webhooks')).status, 403);
});

t.test('an IP allowlist is not passed by a header of the caller', async (t) => {
  const tenant = await newTenant(stack);
  await newSpender(stack, tenant);
  const barred = await credential(tenant.clientId, { ip_allowlist: ['203.0.113.0/24'] });
  const caller = api(base, { 'x-api-key': barred.api_key });
  t.match(await caller.get('/api/v1/agents'), { status: 403, body: { error: { code: 'ERROR' } } });
  const headers = { 'x-forwarded-for': '203.0.113.7' };
  t.equal((await caller.get('/api/v1/agents', { headers })).status, 403);
  const local = await credential(tenant.clientId, { ip_allowlist: ['127.0.0.0/8', '::1/128'] });
  t.equal((await api(base, { 'x-api-key': local.api_key }).get('/api/v1/agents')).status, 200);
});

t.test('rotation keeps the previous key for its grace, revocation ends both at once', async (t) => {
  const tenant = await newTenant(stack);
  await newSpender(stack, tenant);
  const issued = await credential(tenant.clientId, {});
  const rotated = expectStatus(
    await admin.post(`/internal/v1/credentials/${issued.id}/rotate`, { grace_seconds: 3600 }),
    200,
  );
  const status = async (key: string) =>
    (await api(base, { 'x-api-key': key }).get('/api/v1/agents')).status;
  t.equal(await status(issued.api_key), 200, 'previous, within grace');
  t.equal(await status(rotated.api_key), 200, 'current');
  const without = expectStatus(
    await admin.post(`/internal/v1/credentials/${issued.id}/rotate`, { grace_seconds: 0 }),
    200,
  );
  t.equal(await status(rotated.api_key), 401, 'no grace: the previous key ends at once');
  t.equal(await status(issued.api_key), 401, 'only one previous key is kept');
  t.equal(await status(without.api_key), 200);
  expectStatus(await admin.post(`/internal/v1/credentials/${issued.id}/revoke`), 200);
  t.equal(await status(without.api_key), 401);
});

t.test('a suspended Client is refused everywhere until it is active again', async (t) => {
  const tenant = await newTenant(stack);
  const spender = await newSpender(stack, tenant);
  const suspend = (status: string) =>
    admin.call('PATCH', `/internal/v1/clients/${tenant.clientId}`, { body: { status } });
  expectStatus(await suspend('SUSPENDED'), 200);
  t.equal((await spender.acting.get('/api/v1/agents')).status, 401);
  t.equal(
    (await spender.acting.post('/api/v1/authorize', paymentBody(spender.agentId))).status,
    401,
  );
  expectStatus(await suspend('ACTIVE'), 200);
  t.equal((await spender.acting.get('/api/v1/agents')).status, 200);
});

t.test('the operator interface asks for its own key', async (t) => {
  const attempts: Array<Record<string, string>> = [
    {},
    { 'x-admin-key': 'wrong' },
    { 'x-api-key': stack.adminKey },
  ];
  for (const headers of attempts) {
    const answer = await api(stack.internalUrl, headers).get('/internal/v1/clients');
    t.equal(answer.status, 403);
    t.ok(answer.body.error.request_id);
  }
  t.equal(
    (await api(base, { 'x-admin-key': stack.adminKey }).get('/internal/v1/clients')).status,
    404,
  );
});
