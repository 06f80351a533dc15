/**
 * OAuth2 client credentials: token exchange, what a token may do, its revocation, and disabled
 * OAuth.
 */
import { until } from '@countersign/runtime/testing';
import t from 'tap';
import { type Answer, type Api, api } from './api.js';
import { startInstallation } from './contract-proxy.js';
import { patience } from './patience.js';
import {
  expectStatus,
  expireSoon,
  newSpender,
  newTenant,
  operator,
  paymentBody,
} from './tenant.js';

const stack = await startInstallation({
  env: { ...patience, RATE_LIMIT_MULTIPLIER: '0', OAUTH_ENVIRONMENTS: 'sandbox' },
  seed: false,
});
t.teardown(() => stack.stop());
const admin = operator(stack);
const open = api(stack.baseUrl);
const tenant = await newTenant(stack);
const first = await newSpender(stack, tenant);
const second = await newSpender(stack, tenant);

type Fields = Record<string, unknown>;

interface OauthClient {
  id: string;
  clientId: string;
  secret: string;
}

async function newClient(fields: Fields = {}, clientId = tenant.clientId): Promise<OauthClient> {
  const path = `/internal/v1/clients/${clientId}/credentials`;
  const body = { environment: 'sandbox', kind: 'oauth_client', ...fields };
  const issued = expectStatus(await admin.post(path, body), 201);
  return { id: issued.id, clientId: issued.oauth_client_id, secret: issued.client_secret };
}

function exchange(client_id: string, client_secret: string): Promise<Answer> {
  const body = { grant_type: 'client_credentials', client_id, client_secret };
  return open.post('/api/v1/oauth/token', body);
}

function withToken(answer: Answer): Api {
  const { access_token: token } = expectStatus(answer, 200);
  return api(stack.baseUrl, { authorization: `Bearer ${token}` });
}

async function principalKey(principalId: string): Promise<string> {
  const path = `/api/v1/principals/${principalId}/sandbox-key`;
  return expectStatus(await tenant.client.post(path), 201).api_key;
}

const as = (principalId: string) => ({ headers: { 'x-principal-id': principalId } });
const isRefused = { status: 401, body: { error: { code: 'ERROR' } } };
const isInvalidClient = { status: 401, body: { error: 'invalid_client' } };

t.test('the exchange answers a token, and who is not known no reason', async (t) => {
  const { clientId, secret } = await newClient({ scopes: 'agents,authorize' });
  const answer = await exchange(clientId, secret);
  const { access_token, ...rest } = expectStatus(answer, 200);
  t.same(rest, { token_type: 'Bearer', expires_in: 900, scope: 'agents authorize' });
  t.match(access_token, /^[\w-]+\.[\w-]+\.[\w-]+$/);
  t.equal(answer.headers.get('cache-control'), 'no-store');
  const other = await newClient();
  const refused = [
    await exchange(clientId, other.secret),
    await exchange(`svcoc_test_${'a'.repeat(26)}`, secret),
    await exchange(clientId, 'nonsense'),
    await exchange('nonsense', secret),
    await exchange(second.principalId, await principalKey(first.principalId)),
  ];
  for (const each of refused) t.match(each, isInvalidClient);
  t.equal(new Set(refused.map(({ text }) => text)).size, 1, 'no hint of which part was wrong');
});

t.test('a token has the scope of its minting, and dies with its credential', async (t) => {
  const { id, clientId, secret } = await newClient({ scopes: 'agents' });
  const caller = withToken(await exchange(clientId, secret));
  const own = as(first.principalId);
  t.equal((await caller.get('/api/v1/agents', own)).status, 200);
  t.equal((await caller.get('/api/v1/webhooks', own)).status, 403);
  const wider = { body: { scopes: '' } };
  expectStatus(await admin.call('PATCH', `/internal/v1/credentials/${id}`, wider), 200);
  t.equal((await caller.get('/api/v1/webhooks', own)).status, 403, 'frozen at mint time');
  const fresh = withToken(await exchange(clientId, secret));
  t.equal((await fresh.get('/api/v1/webhooks', own)).status, 200);
  expectStatus(await admin.post(`/internal/v1/credentials/${id}/revoke`), 200);
  for (const each of [caller, fresh]) t.match(await each.get('/api/v1/agents', own), isRefused);
  t.match(await exchange(clientId, secret), isInvalidClient);
});

t.test('a token lasts no longer than its credential', async (t) => {
  const ending = await newClient({ expires_at: new Date(Date.now() + 60_000).toISOString() });
  const { expires_in: seconds } = expectStatus(await exchange(ending.clientId, ending.secret), 200);
  t.ok(seconds > 0 && seconds <= 60, `${seconds} seconds`);
});

t.test('a token acts under the rules of the Client key', async (t) => {
  const { clientId, secret } = await newClient();
  const caller = withToken(await exchange(clientId, secret));
  t.equal((await caller.get('/api/v1/agents')).status, 401, 'several Principals, none named');
  for (const { principalId, agentId } of [first, second]) {
    const { agents } = expectStatus(await caller.get('/api/v1/agents', as(principalId)), 200);
    t.equal(agents[0].id, agentId);
    const decided = await caller.post('/api/v1/authorize', paymentBody(agentId));
    t.equal(expectStatus(decided, 200).decision, 'APPROVE', 'the agent names its owner');
  }
  const foreign = await newSpender(stack, await newTenant(stack));
  t.equal((await caller.get('/api/v1/agents', as(foreign.principalId))).status, 403);
  const outside = await caller.post('/api/v1/authorize', paymentBody(foreign.agentId));
  t.same(expectStatus(outside, 200).reason_codes, ['AGENT_NOT_FOUND']);
});

t.test("a Principal's key is exchanged under its id, and ends its tokens", async (t) => {
  const path = `/internal/v1/clients/${tenant.clientId}/credentials?limit=100`;
  const credentialOf = async (principalId: string, hint: string) => {
    const { data } = expectStatus(await admin.get(path), 200);
    return data.find(
      (each: Fields) => each.principal_id === principalId && String(each.hint).endsWith(hint),
    ).id;
  };
  const ends: Array<[name: string, end: (id: string) => Promise<Answer>]> = [
    ['revoked', (id) => admin.post(`/internal/v1/credentials/${id}/revoke`)],
    ['expired', (id) => expireSoon(admin, id)],
  ];
  for (const [name, end] of ends) {
    const key = await principalKey(second.principalId);
    const caller = withToken(await exchange(second.principalId, key));
    const { agents } = expectStatus(await caller.get('/api/v1/agents', as(first.principalId)), 200);
    t.equal(agents[0].id, second.agentId, 'acts for its own Principal, whatever the header says');
    const ended = await end(await credentialOf(second.principalId, key.slice(-4)));
    t.equal(ended.status, 200, ended.text);
    const refused = await until(async () => {
      const answer = await caller.get('/api/v1/agents');
      return answer.status !== 200 && answer;
    });
    t.match(refused, isRefused, name);
    t.match(await exchange(second.principalId, key), isInvalidClient, name);
  }
});

t.test('where OAuth is off there is no token endpoint, and no token is taken', async (t) => {
  const live = await newTenant(stack, 'live');
  const { clientId, secret } = await newClient({ environment: 'live' }, live.clientId);
  for (const each of [secret, 'svcos_wrong']) {
    const answer = await exchange(clientId, each);
    t.match(answer, { status: 404, body: { error: { code: 'NOT_FOUND' } } });
  }
  const sandbox = await newClient({}, live.clientId);
  const { access_token: token } = expectStatus(
    await exchange(sandbox.clientId, sandbox.secret),
    200,
  );
  const [head, claims = '', signature] = token.split('.');
  const payload = JSON.parse(Buffer.from(claims, 'base64url').toString());
  t.equal(payload.env, 'sandbox');
  const moved = Buffer.from(JSON.stringify({ ...payload, env: 'live' })).toString('base64url');
  const caller = api(stack.baseUrl, { authorization: `Bearer ${head}.${moved}.${signature}` });
  t.match(await caller.get('/api/v1/agents'), isRefused);
  await newSpender(stack, live);
  t.equal((await live.client.get('/api/v1/agents')).status, 200, 'its keys work as ever');
});
