/** The lifecycle of a credential: what is stored of it, how it is rotated, and how it ends. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { until } from '@countersign/runtime/testing';
import { Client } from 'pg';
import t from 'tap';
import { api } from './api.js';
import { startInstallation } from './contract-proxy.js';
import { patience } from './patience.js';
import * as is from './shape.js';
import {
  expectStatus,
  expireSoon,
  newSpender,
  newTenant,
  operator,
  paymentBody,
} from './tenant.js';

const stack = await startInstallation({
  env: { ...patience, RATE_LIMIT_MULTIPLIER: '0' },
  seed: false,
});
t.teardown(() => stack.stop());
const admin = operator(stack);
const tenant = await newTenant(stack);
const spender = await newSpender(stack, tenant);
const credentials = `/internal/v1/clients/${tenant.clientId}/credentials`;

type Fields = Record<string, unknown>;

async function issue(fields: Fields = {}) {
  const body = { environment: 'sandbox', kind: 'api_key', ...fields };
  return expectStatus(await admin.post(credentials, body), 201);
}

function change(id: string, action: string, body: Fields = {}) {
  return admin.post(`/internal/v1/credentials/${id}/${action}`, body);
}

/** A read with a key. */
function read(key: string) {
  const headers = { 'x-api-key': key, 'x-principal-id': spender.principalId };
  return api(stack.baseUrl, headers).get('/api/v1/agents');
}

async function query(statement: string, values: unknown[] = []): Promise<Fields[]> {
  const url = stack.databases.find(({ service }) => service === 'gateway')?.url;
  const database = new Client({ connectionString: url });
  await database.connect();
  const { rows } = await database.query(statement, values);
  await database.end();
  return rows;
}

const record = {
  id: is.id('acr'),
  kind: is.oneOf('api_key', 'oauth_client', 'principal_key'),
  client_id: is.id('cli'),
  environment: is.oneOf('live', 'sandbox'),
  principal_id: is.orNull(is.id('prn')),
  oauth_client_id: is.orNull(is.text),
  scopes: is.text,
  access: is.oneOf('full', 'read'),
  ip_allowlist: is.listOf(is.text),
  label: is.orNull(is.text),
  hint: is.text,
  expires_at: is.orNull(is.time),
  previous_expires_at: is.orNull(is.time),
  revoked_at: is.orNull(is.time),
  created_at: is.time,
};

t.test('a key is shown once, and only its hash is kept', async (t) => {
  const scopes = 'agents,authorize';
  const issued = await issue({ scopes, ip_allowlist: ['127.0.0.0/8'], label: 'Checkout' });
  const { api_key: key, ...shown } = issued;
  t.same(is.misfits(shown, record), []);
  t.match(shown, { scopes, ip_allowlist: ['127.0.0.0/8'], label: 'Checkout' });
  const { data } = expectStatus(await admin.get(`${credentials}?limit=100`), 200);
  t.same(is.misfits(data, is.listOf(record)), [], 'a list has no secret');
  const oauth = await issue({ kind: 'oauth_client' });
  const kept = JSON.stringify(await query('SELECT * FROM credential'));
  for (const secret of [key, oauth.client_secret, tenant.apiKey]) {
    t.notOk(kept.includes(secret), 'never as it is');
    t.ok(kept.includes(createHash('sha256').update(secret).digest('hex')), 'its SHA-256');
  }
});

t.test('keys are issued beside each other, and rotated with a day of grace', async (t) => {
  const [one, two] = [await issue(), await issue()];
  for (const { api_key } of [one, two]) t.equal((await read(api_key)).status, 200);
  const before = Date.now();
  const rotated = expectStatus(await change(one.id, 'rotate'), 200);
  const graceMs = Date.parse(rotated.previous_expires_at) - before;
  t.ok(Math.abs(graceMs - 86_400_000) < 60_000, '24 hours by default');
  for (const key of [one.api_key, rotated.api_key, two.api_key]) {
    t.equal((await read(key)).status, 200);
  }
  expectStatus(await change(one.id, 'revoke'), 200);
  for (const key of [one.api_key, rotated.api_key]) t.equal((await read(key)).status, 401);
  t.equal((await read(two.api_key)).status, 200, 'another is another');
  t.equal((await change(one.id, 'rotate')).status, 409, 'revoked is irreversible');
  t.equal((await read(rotated.api_key)).status, 401);
});

async function principalKey(): Promise<{ id: string; key: string }> {
  const path = `/api/v1/principals/${spender.principalId}/sandbox-key`;
  const key: string = expectStatus(await tenant.client.post(path), 201).api_key;
  const { data } = expectStatus(await admin.get(`${credentials}?limit=100`), 200);
  const own = data.find(({ kind, hint }: Fields) => {
    return kind === 'principal_key' && String(hint).endsWith(key.slice(-4));
  });
  return { id: own.id, key };
}

t.test('the key of a Principal is rotated too, and says how it ended', async (t) => {
  const { id, key } = await principalKey();
  t.match(key, /^svc_test_/);
  const rotated = expectStatus(await change(id, 'rotate'), 200);
  for (const each of [key, rotated.api_key]) t.equal((await read(each)).status, 200);
  expectStatus(await change(id, 'revoke'), 200);
  const revoked = { status: 401, body: { error: { code: 'API_KEY_REVOKED' } } };
  for (const each of [key, rotated.api_key]) t.match(await read(each), revoked);

  const short = await principalKey();
  expectStatus(await expireSoon(admin, short.id), 200);
  const ended = await until(async () => {
    const answer = await read(short.key);
    return answer.status !== 200 && answer;
  });
  t.match(ended, { status: 401, body: { error: { code: 'API_KEY_EXPIRED' } } });
});

t.test('a key without an environment in it is of production', async (t) => {
  const live = await newTenant(stack, 'live');
  const { agentId } = await newSpender(stack, live);
  const key = `svc_${randomBytes(20).toString('hex')}`;
  const hash = createHash('sha256').update(key).digest('hex');
  // Such keys are no longer issued; existing ones come from older installations.
  await query(
    `INSERT INTO credential (id, kind, client_id, environment, secret_hash, hint)
     VALUES ($1, 'api_key', $2, 'live', $3, '')`,
    [`acr_${randomUUID()}`, live.clientId, hash],
  );
  const legacy = api(stack.baseUrl, { 'x-api-key': key });
  const decided = await legacy.post('/api/v1/authorize', paymentBody(agentId));
  t.equal(expectStatus(decided, 200).decision, 'APPROVE');
});
