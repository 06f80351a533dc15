import { testUrl, until } from '@countersign/runtime/testing';
import { Wire } from '@countersign/runtime/testing/wire';
import { t as file, type Test, test } from 'tap';
import { versionKey } from '../authentication/gate-turn.js';
import { newApiKey } from '../authentication/secrets.js';
import type { Answer } from './request.js';
import { newAddress, type Replica, World } from './world.js';

const world = await World.start();
file.teardown(() => world.close());
const first = await world.replica();
const second = await world.replica();

/** `count` calls at once, over all the replicas in turn. */
async function burst(
  replicas: Replica[],
  count: number,
  call: (replica: Replica) => Promise<Answer>,
): Promise<{ answers: Answer[]; seconds: number }> {
  const started = performance.now();
  const calls = Array.from({ length: count }, (_, index) => {
    const replica = replicas[index % replicas.length];
    if (!replica) throw new Error('no replica');
    return call(replica);
  });
  const answers = await Promise.all(calls);
  return { answers, seconds: (performance.now() - started) / 1_000 };
}

/** How many found a token, whatever became of them. */
function taken(answers: Answer[]): number {
  return answers.filter(({ status }) => status !== 429).length;
}

/** From then on a call takes its token before it may find the database busy. */
async function isKnown(t: Test, replica: Replica, key: string): Promise<void> {
  t.equal((await replica.call('/api/v1/agents', { key })).status, 200);
}

function outcome(key: string) {
  return { method: 'POST', key, once: true };
}

test('one bucket for each credential and group, shared by all replicas', async (t) => {
  const client = await first.client(world.identity);
  const { api_key: key } = await first.key(client.id);
  for (const replica of [first, second]) await isKnown(t, replica, key);
  const write = (replica: Replica) => replica.call('/api/v1/outcomes', outcome(key));
  const { answers, seconds } = await burst([first, second], 40, write);
  t.ok(taken(answers) >= 10, 'the whole burst of 10 was allowed');
  t.ok(taken(answers) <= 10 + Math.ceil(5 * seconds) + 1, `no more than the rate: ${seconds} s`);
  const refused = answers.find(({ status }) => status === 429);
  t.equal(refused?.json.error.code, 'RATE_LIMITED');
  t.equal(refused?.headers.get('retry-after'), '1');
  t.equal(refused?.headers.get('x-ratelimit-limit'), '10');
  t.equal(refused?.headers.get('x-ratelimit-remaining'), '0');
  const read = await first.call('/api/v1/agents', { key });
  t.equal(read.status, 200, 'another group has a bucket of its own');
  t.equal(read.headers.get('x-ratelimit-limit'), '50');
  const { api_key: sibling } = await first.key(client.id);
  const other = await first.call('/api/v1/outcomes', { method: 'POST', key: sibling });
  t.equal(other.status, 201, 'another credential of the Client too');
});

test('the published limits, by environment and group', async (t) => {
  const client = await first.client(world.identity);
  const { api_key: sandbox } = await first.key(client.id);
  const { api_key: live } = await first.key(client.id, { environment: 'live' });
  const limitOf = async (key: string, path: string, body?: unknown) => {
    const answer = await first.call(path, { key, body });
    return Number(answer.headers.get('x-ratelimit-limit'));
  };
  t.equal(await limitOf(live, '/api/v1/authorize', { amount: 1 }), 200);
  t.equal(await limitOf(sandbox, '/api/v1/authorize', { amount: 1 }), 50);
  t.equal(await limitOf(live, '/api/v1/mandates', { amount: 1 }), 40);
  t.equal(await limitOf(sandbox, '/api/v1/mandates', { amount: 1 }), 10);
  t.equal(await limitOf(live, '/api/v1/agents'), 100);
  t.equal(await limitOf(sandbox, '/api/v1/agents'), 50);
});

test('the headers come with every authenticated answer, refusals included', async (t) => {
  const client = await first.client(world.identity);
  const { api_key: scoped } = await first.key(client.id, { scopes: 'mandates' });
  const refused = await first.call('/api/v1/agents', { key: scoped });
  t.equal(refused.status, 403);
  const invalid = await first.call('/api/v1/mandates', { key: scoped, body: {} });
  t.equal(invalid.status, 422);
  for (const { headers } of [refused, invalid]) {
    const remaining = Number(headers.get('x-ratelimit-remaining'));
    t.ok(remaining >= 0 && remaining < Number(headers.get('x-ratelimit-limit')));
    const reset = Number(headers.get('x-ratelimit-reset'));
    t.ok(Math.abs(reset - Date.now() / 1_000) < 60);
  }
});

test('a multiplier scales the limits, and 0 turns them off but not the headers', async (t) => {
  const off = await world.replica({ RATE_LIMIT_MULTIPLIER: '0' });
  const least = await world.replica({ RATE_LIMIT_MULTIPLIER: '0.001' });
  t.teardown(() => Promise.all([off, least].map(({ lifecycle }) => lifecycle.shutdown())));
  const client = await first.client(world.identity);
  const { api_key: key } = await first.key(client.id);
  const write = (replica: Replica) => replica.call('/api/v1/outcomes', { method: 'POST', key });
  const { answers } = await burst([off], 60, write);
  t.equal(taken(answers), 60);
  t.equal(answers[0]?.headers.get('x-ratelimit-remaining'), '10');
  t.equal((await write(least)).headers.get('x-ratelimit-limit'), '1');
  t.equal((await write(least)).status, 429);
  const bad = newApiKey('sandbox');
  const guess = (replica: Replica) =>
    replica.call('/api/v1/agents', { key: bad, ip: newAddress() });
  t.equal(taken((await burst([off], 30, guess)).answers), 30);
});

test('ten failed authentications from one address: 429, on every replica', async (t) => {
  const ip = newAddress();
  const wrong = async (replica: Replica, key = newApiKey('sandbox')) =>
    (await replica.call('/api/v1/agents', { key, ip })).status;
  for (let attempt = 0; attempt < 10; attempt += 1) {
    t.equal(await wrong(attempt % 2 ? first : second), 401);
  }
  t.equal(await wrong(first), 429);
  t.equal(await wrong(second, 'malformed'), 429);
  const blocked = await second.call('/api/v1/agents', { key: newApiKey('live'), ip });
  const wait = Number(blocked.headers.get('retry-after'));
  t.ok(wait > 250 && wait <= 300, `${wait} s`);
  t.equal(blocked.json.error.code, 'RATE_LIMITED');
  const elsewhere = await first.call('/api/v1/agents', {
    key: newApiKey('live'),
    ip: newAddress(),
  });
  t.equal(elsewhere.status, 401, 'other addresses are not concerned');
});

test('a caller who is known is not locked out by a neighbour', async (t) => {
  const ip = newAddress();
  const client = await first.client(world.identity);
  const { api_key: key } = await first.key(client.id);
  t.equal((await first.call('/api/v1/agents', { key, ip })).status, 200);
  for (let attempt = 0; attempt < 10; attempt += 1) {
    await first.call('/api/v1/agents', { key: newApiKey('sandbox'), ip });
  }
  t.equal((await first.call('/api/v1/agents', { key, ip })).status, 200);
  const { api_key: unseen } = await first.key(client.id);
  const waits = await first.call('/api/v1/agents', { key: unseen, ip });
  t.equal(waits.status, 429, 'one that would have to be looked up waits');
});

test('no key at all is no attempt', async (t) => {
  const ip = newAddress();
  for (let attempt = 0; attempt < 15; attempt += 1) {
    t.equal((await first.call('/api/v1/agents', { ip })).status, 401);
  }
});

test('an access token that has ended is no attempt', async (t) => {
  const { id: clientId } = await first.client(world.identity);
  const issued = await first.key(clientId, { kind: 'oauth_client' });
  const fields = { client_id: issued.oauth_client_id, client_secret: issued.client_secret };
  const body = { grant_type: 'client_credentials', ...fields };
  const { json } = await first.call('/api/v1/oauth/token', { body });
  const later = await world.replica({}, { clock: () => Date.now() + 901_000 });
  t.teardown(() => later.lifecycle.shutdown());
  const ip = newAddress();
  for (let attempt = 0; attempt < 15; attempt += 1) {
    const ended = await later.call('/api/v1/agents', { token: json.access_token, ip });
    t.equal(ended.status, 401);
  }
  const wrong = await later.call('/api/v1/agents', { key: newApiKey('sandbox'), ip });
  t.equal(wrong.status, 401, 'the first failure of this address');
});

test('an IPv6 caller counts by its /64', async (t) => {
  const network = `2001:db8:${newAddress().split('.').slice(2).join(':')}`;
  for (let attempt = 0; attempt < 10; attempt += 1) {
    const ip = `${network}::${attempt + 1}`;
    await first.call('/api/v1/agents', { key: newApiKey('sandbox'), ip });
  }
  const ip = `${network}::ffff`;
  t.equal((await first.call('/api/v1/agents', { key: newApiKey('live'), ip })).status, 429);
});

async function closing({ lifecycle }: Replica, wire: Wire): Promise<void> {
  await lifecycle.shutdown();
  wire.close();
}

test('with Redis away: no 5xx, a bucket a replica, and a revoked key stays dead', async (t) => {
  const wire = await Wire.to(testUrl('redis'));
  const cut = await world.replica({ REDIS_URL: wire.url });
  t.teardown(() => closing(cut, wire));
  const client = await first.client(world.identity);
  const issued = await first.key(client.id);
  const key = issued.api_key;
  await isKnown(t, cut, key);
  wire.cut();
  await until(() => cut.context.redis.status !== 'ready', { what: 'Redis to be noticed away' });
  const read = await cut.call('/api/v1/agents', { key });
  t.equal(read.status, 200);
  t.equal(read.headers.get('x-ratelimit-limit'), '50');
  const write = (replica: Replica) => replica.call('/api/v1/outcomes', outcome(key));
  const { answers, seconds } = await burst([cut], 40, write);
  t.ok(taken(answers) >= 10 && taken(answers) <= 10 + Math.ceil(5 * seconds) + 1);
  t.ok(answers.some(({ status }) => status === 201));
  t.ok(
    answers.every(({ status }) => [201, 429, 503].includes(status)),
    '503 only where the database is busy',
  );

  const revoked = await first.operate('POST', `/credentials/${issued.id}/revoke`);
  t.equal(revoked.status, 200);
  const dead = await cut.call('/api/v1/agents', { key });
  t.equal(dead.status, 401, 'revoked meanwhile');
  t.equal((await cut.call('/api/v1/agents', { key: newApiKey('live') })).status, 401);
  const ip = newAddress();
  for (let attempt = 0; attempt < 10; attempt += 1) {
    await cut.call('/api/v1/agents', { key: newApiKey('sandbox'), ip });
  }
  const blocked = await cut.call('/api/v1/agents', { key: newApiKey('sandbox'), ip });
  t.equal(blocked.status, 429, 'the throttle of this replica goes on');

  wire.mend();
  await until(() => cut.context.redis.status === 'ready', { what: 'Redis to be back' });
  const { api_key: fresh } = await first.key(client.id);
  t.equal((await cut.call('/api/v1/agents', { key: fresh })).status, 200);
});

test('a change that Redis cannot be told of holds when it answers', async (t) => {
  const wire = await Wire.to(testUrl('redis'));
  const operator = await world.replica({ REDIS_URL: wire.url });
  t.teardown(() => closing(operator, wire));
  const client = await first.client(world.identity);
  const { api_key: key, id } = await first.key(client.id);
  t.equal((await first.call('/api/v1/agents', { key })).status, 200);
  wire.cut();
  await until(() => operator.context.redis.status !== 'ready', { what: 'Redis away' });
  const revoked = await operator.operate('POST', `/credentials/${id}/revoke`);
  t.equal(revoked.status, 200);
  t.equal((await first.call('/api/v1/agents', { key })).status, 401);
  t.equal((await second.call('/api/v1/agents', { key })).status, 401);
});

test('Redis flushed at any moment: no revoked key comes back', async (t) => {
  const client = await first.client(world.identity);
  for (let round = 0; round < 10; round += 1) {
    const { api_key: key, id } = await first.key(client.id);
    const call = () => second.call('/api/v1/agents', { key, ip: newAddress() });
    t.equal((await call()).status, 200);
    const version = `sandbox:credential:{${id}}`;
    await first.context.redis.del(version);
    t.equal((await call()).status, 200);
    t.equal((await first.operate('POST', `/credentials/${id}/revoke`)).status, 200);
    await first.context.redis.del(version);
    t.equal((await call()).status, 401);
  }
});

test('with the database away: known callers go on, others are asked to come back', async (t) => {
  const wire = await Wire.to(world.databaseUrl);
  const cut = await world.replica({ DATABASE_URL: wire.url });
  t.teardown(() => closing(cut, wire));
  const client = await first.client(world.identity);
  const { api_key: key, id } = await first.key(client.id);
  const { api_key: unknown } = await first.key(client.id);
  const authorize = (given: string) =>
    cut.call('/api/v1/authorize', { key: given, body: { amount: '1' } });
  await cut.payUntilFresh(key, id);
  wire.cut();
  t.equal((await authorize(key)).status, 200);
  const busy = await authorize(unknown);
  t.equal(busy.status, 429, 'never a 5xx on /authorize');
  t.equal(busy.headers.get('retry-after'), '1');
  const elsewhere = await cut.call('/api/v1/agents', { key: unknown, once: true });
  t.equal(elsewhere.status, 503);
  t.equal(elsewhere.json.error.code, 'SERVICE_UNAVAILABLE');
  t.equal((await first.operate('POST', `/credentials/${id}/revoke`)).status, 200);
  t.equal((await authorize(key)).status, 429, 'a change that was announced is not ignored');
  wire.mend();
  await until(async () => (await authorize(unknown)).status === 200, { what: 'the database back' });
  t.equal((await authorize(key)).status, 401);
});

async function roundTrips(): Promise<Record<string, number>> {
  const metric = await first.context.metrics.registry
    .getSingleMetric('countersign_round_trips_total')
    ?.get();
  return Object.fromEntries(
    (metric?.values ?? []).map(({ labels, value }) => [String(labels.kind), value]),
  );
}

test('one round trip to Redis and none to the database for a known caller', async (t) => {
  const client = await first.client(world.identity);
  const { api_key: key, id } = await first.key(client.id);
  const call = () => first.call('/api/v1/authorize', { key, body: { amount: '1' } });
  /** What ten calls cost; null where they took so long that the version had to be read again. */
  const tenCalls = async () => {
    const startedAt = performance.now();
    await first.context.redis.hset(versionKey({ id, environment: 'sandbox' }), { fresh: 0 });
    await first.payUntilFresh(key, id);
    const before = await roundTrips();
    for (let n = 0; n < 10; n += 1) t.equal((await call()).status, 200);
    const after = await roundTrips();
    const cost = (kind: string) => (after[kind] ?? 0) - (before[kind] ?? 0);
    if (performance.now() - startedAt > 1_500) return null;
    return { redis: cost('redis'), postgres: cost('postgres'), grpc: cost('grpc') };
  };
  const costs = await until(tenCalls, { timeoutMs: 60_000, what: 'ten calls within freshness' });
  t.same(costs, { redis: 10, postgres: 0, grpc: 0 });
});
