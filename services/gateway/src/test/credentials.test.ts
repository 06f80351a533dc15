import { randomBytes } from 'node:crypto';
import { newId } from '@countersign/kernel/id';
import { checksum } from '@countersign/kernel/secret';
import { until } from '@countersign/runtime/testing';
import { waitingForLocks } from '@countersign/runtime/testing/locks';
import { t as file, test } from 'tap';
import { hashSecret, newApiKey } from '../authentication/secrets.js';
import { World } from './world.js';

const world = await World.start();
file.teardown(() => world.close());
const first = await world.replica({ RATE_LIMIT_MULTIPLIER: '0' });
const second = await world.replica({ RATE_LIMIT_MULTIPLIER: '0' });
const replicas = [first, second];

async function statuses(key: string, path = '/api/v1/agents'): Promise<number[]> {
  const answers = await Promise.all(replicas.map((replica) => replica.call(path, { key })));
  return answers.map(({ status }) => status);
}

test('a key works on every replica from the moment it was issued', async (t) => {
  const client = await first.client(world.identity);
  const issued = await first.key(client.id);
  t.match(issued.api_key, /^svc_test_[0-9A-Za-z]{49}$/);
  t.match(issued.id, /^acr_/);
  t.same(await statuses(issued.api_key), [200, 200]);
  const { json } = await second.call('/api/v1/agents', { key: issued.api_key });
  t.match(json.caller, {
    credentialId: issued.id,
    clientId: client.id,
    environment: 'sandbox',
    kind: 'api_key',
    principalId: null,
  });
});

test('only a hash of a secret is kept', async (t) => {
  const client = await first.client(world.identity);
  const { api_key: key, id } = await first.key(client.id);
  const { rows } = await first.context.pool.query('SELECT * FROM credential WHERE id = $1', [id]);
  t.equal(rows[0].secret_hash, hashSecret(key));
  t.notOk(JSON.stringify(rows[0]).includes(key));
  t.equal(rows[0].hint, `svc_test_…${key.slice(-4)}`);
});

test('rotation: both secrets work in the grace time, then the new one alone', async (t) => {
  const client = await first.client(world.identity);
  const { api_key: old, id } = await first.key(client.id);
  t.same(await statuses(old), [200, 200]);
  const rotated = await first.operate('POST', `/credentials/${id}/rotate`, { grace_seconds: 3600 });
  t.equal(rotated.status, 200);
  t.ok(Date.parse(rotated.json.previous_expires_at) > Date.now() + 3_500_000);
  t.same(await statuses(old), [200, 200]);
  t.same(await statuses(rotated.json.api_key), [200, 200]);

  let now = Date.now();
  const later = await world.replica({ RATE_LIMIT_MULTIPLIER: '0' }, { clock: () => now });
  t.equal((await later.call('/api/v1/agents', { key: old })).status, 200);
  now += 3_601_000;
  t.equal((await later.call('/api/v1/agents', { key: old })).status, 401);
  t.equal((await later.call('/api/v1/agents', { key: rotated.json.api_key })).status, 200);
});

test('rotation without grace ends the old secret at once on every replica', async (t) => {
  const client = await first.client(world.identity);
  const { api_key: old, id } = await first.key(client.id);
  t.same(await statuses(old), [200, 200]);
  const { json } = await first.operate('POST', `/credentials/${id}/rotate`, { grace_seconds: 0 });
  t.equal(json.previous_expires_at, null);
  t.same(await statuses(old), [401, 401]);
  t.same(await statuses(json.api_key), [200, 200]);
});

test('an expired key is refused from its last moment on', async (t) => {
  let now = Date.now();
  const clock = await world.replica({ RATE_LIMIT_MULTIPLIER: '0' }, { clock: () => now });
  const client = await first.client(world.identity);
  const expires_at = new Date(now + 60_000).toISOString();
  const { api_key: key } = await first.key(client.id, { expires_at });
  t.equal((await clock.call('/api/v1/agents', { key })).status, 200);
  now += 60_000;
  const refused = await clock.call('/api/v1/agents', { key });
  t.equal(refused.status, 401);
  t.equal(refused.json.error.code, 'INVALID_API_KEY');
});

test('revoking holds on every replica when it answers, every time, and for good', async (t) => {
  const client = await first.client(world.identity);
  for (let round = 0; round < 20; round += 1) {
    const { api_key: key, id } = await first.key(client.id);
    t.same(await statuses(key), [200, 200], 'works');
    const revoked = await first.operate('POST', `/credentials/${id}/revoke`);
    t.equal(revoked.status, 200);
    t.same(await statuses(key), [401, 401], 'is dead');
    const again = await first.operate('POST', `/credentials/${id}/revoke`);
    t.same(again.json, revoked.json, 'revoking again changes nothing');
    t.equal((await first.operate('POST', `/credentials/${id}/rotate`, {})).status, 409);
    t.equal((await first.operate('PATCH', `/credentials/${id}`, { label: 'x' })).status, 409);
  }
});

test('revoking again holds, even if the process that revoked first told nobody', async (t) => {
  const client = await first.client(world.identity);
  for (let round = 0; round < 5; round += 1) {
    const { api_key: key, id } = await first.key(client.id);
    t.same(await statuses(key), [200, 200]);
    t.same(await statuses(key), [200, 200], 'by a version that is fresh');
    // What is left by a process that is killed after its commit.
    await first.context.pool.query(
      'UPDATE credential SET revoked_at = now(), version = version + 1 WHERE id = $1',
      [id],
    );
    t.equal((await first.operate('POST', `/credentials/${id}/revoke`)).status, 200);
    t.same(await statuses(key), [401, 401]);
  }
});

test('of several who revoke at once each is told the same', async (t) => {
  const client = await first.client(world.identity);
  for (let round = 0; round < 5; round += 1) {
    const { id } = await first.key(client.id);
    const calls = [...replicas, ...replicas].map((replica) =>
      replica.operate('POST', `/credentials/${id}/revoke`),
    );
    const answers = await Promise.all(calls);
    t.same(new Set(answers.map(({ status }) => status)), new Set([200]));
    t.equal(new Set(answers.map(({ text }) => text)).size, 1);
  }
});

test('revoking holds under load on another replica', async (t) => {
  const client = await first.client(world.identity);
  const { api_key: key, id } = await first.key(client.id);
  let revokedAt = Number.POSITIVE_INFINITY;
  let late = 0;
  let accepted = 0;
  const hammer = async (): Promise<void> => {
    for (let call = 0; call < 60; call += 1) {
      const startedAt = performance.now();
      const { status } = await second.call('/api/v1/agents', { key });
      if (status === 200) accepted += 1;
      if (status === 200 && startedAt > revokedAt) late += 1;
    }
  };
  const load = Promise.all(Array.from({ length: 8 }, hammer));
  await until(() => accepted > 8, { what: 'calls before' });
  const revoked = await first.operate('POST', `/credentials/${id}/revoke`);
  revokedAt = performance.now();
  await load;
  t.equal(revoked.status, 200);
  t.equal(late, 0, 'none was accepted that began after the answer');
});

test('suspending a Client stops all of its credentials, and only its', async (t) => {
  const client = await first.client(world.identity);
  const other = await first.client(world.identity);
  const { api_key: sandbox } = await first.key(client.id);
  const { api_key: live } = await first.key(client.id, { environment: 'live' });
  const { api_key: neighbour } = await first.key(other.id);
  t.same(await statuses(sandbox), [200, 200]);
  const suspended = await first.operate('PATCH', `/clients/${client.id}`, { status: 'SUSPENDED' });
  t.match(suspended.json, { id: client.id, status: 'SUSPENDED' });
  t.same(await statuses(sandbox), [401, 401]);
  t.same(await statuses(live), [401, 401]);
  t.same(await statuses(neighbour), [200, 200]);
  const { api_key: fresh } = await first.key(client.id);
  t.same(await statuses(fresh), [401, 401], 'a key issued meanwhile does not work either');
  await first.operate('PATCH', `/clients/${client.id}`, { status: 'ACTIVE' });
  for (const key of [sandbox, live, fresh]) t.same(await statuses(key), [200, 200]);
});

test('a key issued while its Client is being suspended waits for the suspension', async (t) => {
  const client = await first.client(world.identity);
  const suspending = await first.context.pool.connect();
  await suspending.query('BEGIN');
  await suspending.query(`UPDATE client SET status = 'SUSPENDED' WHERE id = $1`, [client.id]);
  const terms = { environment: 'sandbox', kind: 'api_key' };
  const issuing = first.operate('POST', `/clients/${client.id}/credentials`, terms);
  const { pool } = first.context;
  await until(async () => (await waitingForLocks(pool, 'INSERT INTO credential%')) > 0, {
    what: 'the issue to wait',
  });
  await suspending.query('COMMIT');
  suspending.release();
  const { json } = await issuing;
  t.same(await statuses(json.api_key), [401, 401]);
});

test('scopes and allowlist hold on every replica when their change has answered', async (t) => {
  const client = await first.client(world.identity);
  const { api_key: key, id } = await first.key(client.id);
  t.same(await statuses(key), [200, 200]);
  await first.operate('PATCH', `/credentials/${id}`, { scopes: 'mandates' });
  t.same(await statuses(key), [403, 403]);
  await first.operate('PATCH', `/credentials/${id}`, { scopes: '' });
  t.same(await statuses(key), [200, 200]);
  await first.operate('PATCH', `/credentials/${id}`, { ip_allowlist: ['198.51.100.0/24'] });
  t.same(await statuses(key), [403, 403]);
  const { json } = await first.operate('PATCH', `/credentials/${id}`, { ip_allowlist: [] });
  t.same(json.ip_allowlist, []);
  t.same(await statuses(key), [200, 200]);
});

test('whatever is wrong with a Client key, the answer is the same', async (t) => {
  const client = await first.client(world.identity);
  const { api_key: revoked, id } = await first.key(client.id);
  t.equal((await first.operate('POST', `/credentials/${id}/revoke`)).status, 200);
  const oauth = await first.key(client.id, { kind: 'oauth_client' });
  const good = (await first.key(client.id)).api_key;
  const wrong: Record<string, string | undefined> = {
    missing: undefined,
    empty: '',
    unknown: newApiKey('sandbox'),
    'unknown in live': newApiKey('live'),
    mistyped: `${good.slice(0, -1)}${good.endsWith('0') ? '1' : '0'}`,
    'other environment': reprefixed(good),
    malformed: 'svc_test_short',
    'no prefix': 'hello',
    legacy: `svc_${randomBytes(16).toString('hex')}`,
    'OAuth secret': oauth.client_secret,
    'OAuth id': oauth.oauth_client_id,
    revoked,
    padded: `${good} x`,
    injection: `svc_test_' OR 1=1 --`,
  };
  const bodies = new Set<string>();
  for (const [what, key] of Object.entries(wrong)) {
    const requestId = 'same-id';
    const answer = await first.call('/api/v1/agents', {
      ...(key !== undefined && { key }),
      headers: { 'X-Request-ID': requestId },
    });
    t.equal(answer.status, 401, what);
    t.equal(answer.json.error.code, 'INVALID_API_KEY', what);
    bodies.add(answer.text);
  }
  t.equal(bodies.size, 1);
});

test('a legacy key is looked up in live', async (t) => {
  const client = await first.client(world.identity);
  const key = `svc_${randomBytes(20).toString('hex')}`;
  const insert = (environment: string, secret: string) =>
    first.context.pool.query(
      `INSERT INTO credential (id, kind, client_id, environment, secret_hash, hint)
       VALUES ($1, 'api_key', $2, $3, $4, '')`,
      [newId('credential'), client.id, environment, hashSecret(secret)],
    );
  await insert('live', key);
  const { json } = await first.call('/api/v1/agents', { key });
  t.equal(json.caller.environment, 'live');
  const stray = `svc_${randomBytes(20).toString('hex')}`;
  await insert('sandbox', stray);
  t.equal((await first.call('/api/v1/agents', { key: stray })).status, 401);
});

test('a sandbox key of one Principal works on the runtime plane alone', async (t) => {
  const client = await first.client(world.identity, 2);
  const [principal = '', sibling = ''] = client.principals;
  const { api_key: clientKey } = await first.key(client.id);
  const path = `/api/v1/principals/${principal}/sandbox-key`;
  const minted = await first.call(path, { method: 'POST', key: clientKey });
  t.equal(minted.status, 201);
  t.match(minted.json, { principal_id: principal, env: 'sandbox', message: String });
  const key = minted.json.api_key;
  const headers = { 'X-Principal-Id': sibling };
  const read = await second.call('/api/v1/agents', { key, headers });
  t.match(read.json, {
    tenant: { clientId: client.id, principalId: principal },
    caller: { kind: 'principal_key' },
  });
  const onboarding = await first.call('/api/v1/programs', { key });
  t.equal(onboarding.status, 401);
  t.equal(onboarding.json.error.code, 'INVALID_API_KEY');

  const listed = await first.operate('GET', `/clients/${client.id}/credentials`);
  const record = listed.json.data.find((row: { kind: string }) => row.kind === 'principal_key');
  t.equal(record.principal_id, principal);
  const rotated = await first.operate('POST', `/credentials/${record.id}/rotate`, {
    grace_seconds: 0,
  });
  t.equal((await second.call('/api/v1/agents', { key })).json.error.code, 'INVALID_API_KEY');
  const current = rotated.json.api_key;
  t.equal((await second.call('/api/v1/agents', { key: current })).status, 200);
  await first.operate('POST', `/credentials/${record.id}/revoke`);
  const dead = await second.call('/api/v1/agents', { key: current });
  t.equal(dead.status, 401);
  t.equal(dead.json.error.code, 'API_KEY_REVOKED');
});

test('a sandbox key may do no more than the key that minted it', async (t) => {
  const client = await first.client(world.identity);
  const path = `/api/v1/principals/${client.principals[0]}/sandbox-key`;
  const [home, abroad] = ['198.51.100.7', '192.0.2.1'];
  const expires_at = new Date(Date.now() + 3_600_000).toISOString();
  const terms = { scopes: 'principals,agents', ip_allowlist: ['198.51.100.0/24'], expires_at };
  const { api_key: clientKey, id } = await first.key(client.id, terms);
  const minted = await first.call(path, { method: 'POST', key: clientKey, ip: home });
  t.equal(minted.status, 201);
  const key = minted.json.api_key;
  t.equal((await second.call('/api/v1/agents', { key, ip: home })).status, 200);
  t.equal((await second.call('/api/v1/agents', { key, ip: abroad })).status, 403, 'its networks');
  const outcome = { method: 'POST', key, ip: home };
  t.equal((await second.call('/api/v1/outcomes', outcome)).status, 403, 'its scopes');
  const listed = await first.operate('GET', `/clients/${client.id}/credentials`);
  const record = listed.json.data.find((row: { kind: string }) => row.kind === 'principal_key');
  t.match(record, terms, 'its expiry');

  const wider = { scopes: '', ip_allowlist: [], expires_at: null };
  await first.operate('PATCH', `/credentials/${id}`, wider);
  const full = await first.call(path, { method: 'POST', key: clientKey, ip: abroad });
  const call = { method: 'POST', key: full.json.api_key, ip: abroad };
  t.equal((await second.call('/api/v1/outcomes', call)).status, 201, 'full access is passed on');
  t.equal((await second.call('/api/v1/outcomes', outcome)).status, 403, 'and to no older key');
});

test('only keys of a Principal say that they have expired', async (t) => {
  let now = Date.now();
  const clock = await world.replica({ RATE_LIMIT_MULTIPLIER: '0' }, { clock: () => now });
  const client = await first.client(world.identity);
  const { api_key: clientKey } = await first.key(client.id);
  const path = `/api/v1/principals/${client.principals[0]}/sandbox-key`;
  const { api_key: key } = (await first.call(path, { method: 'POST', key: clientKey })).json;
  const listed = await first.operate('GET', `/clients/${client.id}/credentials`);
  const { id } = listed.json.data.find((row: { kind: string }) => row.kind === 'principal_key');
  const expires_at = new Date(now + 60_000).toISOString();
  await first.operate('PATCH', `/credentials/${id}`, { expires_at });
  t.equal((await clock.call('/api/v1/agents', { key })).status, 200);
  now += 61_000;
  const expired = await clock.call('/api/v1/agents', { key });
  t.equal(expired.status, 401);
  t.equal(expired.json.error.code, 'API_KEY_EXPIRED');
});

test('sandbox keys exist in the sandbox and for own Principals only', async (t) => {
  const client = await first.client(world.identity);
  const stranger = await first.client(world.identity);
  const { api_key: live } = await first.key(client.id, { environment: 'live' });
  const { api_key: sandbox } = await first.key(client.id);
  const call = (key: string, principal = '') =>
    first.call(`/api/v1/principals/${principal}/sandbox-key`, { method: 'POST', key });
  const refused = await call(live, client.principals[0]);
  t.equal(refused.status, 403);
  t.match(refused.json, {
    error: 'sandbox_only',
    status: 403,
    message: String,
    request_id: String,
  });
  for (const principal of [stranger.principals[0], newId('principal')]) {
    const missing = await call(sandbox, principal);
    t.equal(missing.status, 404);
    t.match(missing.json, { error: 'principal_not_found', status: 404 });
  }
});

function reprefixed(key: string): string {
  const body = key.replace('svc_test_', 'svc_live_').slice(0, -6);
  return body + checksum(body);
}
