import { newId } from '@countersign/kernel/id';
import { testUrl, until } from '@countersign/runtime/testing';
import { Wire } from '@countersign/runtime/testing/wire';
import { t as file, test } from 'tap';
import { newAddress, type Replica, World } from './world.js';

const world = await World.start();
file.teardown(() => world.close());
// Buckets of five, so that a few calls too many would show.
const first = await world.replica({ RATE_LIMIT_MULTIPLIER: '0.1' });
const second = await world.replica({ RATE_LIMIT_MULTIPLIER: '0.1' });
const burst = 5;
const home = newAddress();
const abroad = newAddress();

async function lockedKey() {
  const client = await first.client(world.identity);
  return first.key(client.id, { ip_allowlist: [home] });
}

const read = (replica: Replica, key: string, ip: string) =>
  replica.call('/api/v1/agents', { key, ip });

async function roundTrips(replica: Replica): Promise<Record<string, number>> {
  const metric = await replica.context.metrics.registry
    .getSingleMetric('countersign_round_trips_total')
    ?.get();
  const counted = (metric?.values ?? []).map(({ labels, value }) => [labels.kind, value]);
  return Object.fromEntries(counted);
}

test('a key that is used from elsewhere takes nothing from its owner', async (t) => {
  const { api_key: key } = await lockedKey();
  for (let call = 0; call < 3 * burst; call += 1) {
    const refused = await read(call % 2 ? first : second, key, abroad);
    t.equal(refused.status, 403);
    t.equal(refused.headers.get('x-ratelimit-remaining'), String(burst), 'all of it is left');
  }
  const statuses: number[] = [];
  for (let call = 0; call < burst; call += 1) {
    statuses.push((await read(first, key, home)).status);
  }
  t.same(statuses, Array(burst).fill(200));
});

test('calls from both places at once: only those from home take a token', async (t) => {
  const { api_key: key } = await lockedKey();
  await read(first, key, home);
  const places = Array.from({ length: 30 }, (_, at) => (at % 10 === 9 ? home : abroad));
  const answers = await Promise.all(places.map((ip) => read(first, key, ip)));
  t.same(
    answers.map(({ status }) => status),
    places.map((ip) => (ip === home ? 200 : 403)),
  );
  const left = answers.map(({ headers }) => Number(headers.get('x-ratelimit-remaining')));
  t.ok(Math.min(...left) < burst, 'and they do');
});

test('of two questions in one turn, only that of the caller from home takes a token', async (t) => {
  const { gate } = first.context.authentication;
  for (const [order, left] of [
    [
      ['look', 'pass'],
      [burst, burst - 1],
    ],
    [
      ['pass', 'look'],
      [burst - 1, burst - 1],
    ],
  ] as const) {
    const subject = { id: newId('credential'), environment: 'sandbox' } as const;
    const answers = await Promise.all(order.map((how) => gate[how](subject, 'read')));
    t.same(
      answers.map(({ rate }) => rate?.remaining),
      left,
      order.join(),
    );
  }
});

test('a key that is used from elsewhere takes nothing without Redis either', async (t) => {
  const wire = await Wire.to(testUrl('redis'));
  const options = { REDIS_URL: wire.url, RATE_LIMIT_MULTIPLIER: '0.1' };
  const cut = await world.replica(options);
  const { api_key: key } = await lockedKey();
  wire.cut();
  await until(() => cut.context.redis.status !== 'ready', { what: 'Redis to be noticed away' });
  for (let call = 0; call < 3 * burst; call += 1) {
    t.equal((await read(cut, key, abroad)).status, 403);
  }
  const own = await read(cut, key, home);
  t.equal(own.headers.get('x-ratelimit-remaining'), String(burst - 1));
  wire.close();
});

test('nor does an exchange of its secret from elsewhere', async (t) => {
  const client = await first.client(world.identity);
  const terms = { kind: 'oauth_client', ip_allowlist: [home] };
  const { oauth_client_id, client_secret } = await first.key(client.id, terms);
  const fields = { client_id: oauth_client_id, client_secret };
  const body = { grant_type: 'client_credentials', ...fields };
  const exchange = async (ip: string) =>
    (await first.call('/api/v1/oauth/token', { body, ip })).status;
  // One exchange for each network, and one for the client.
  for (let call = 0; call < 3; call += 1) t.equal(await exchange(newAddress()), 403);
  t.equal(await exchange(home), 200);
});

test('an address that was let in meanwhile takes its token', async (t) => {
  const { api_key: key, id } = await lockedKey();
  t.equal((await read(first, key, abroad)).status, 403);
  await second.operate('PATCH', `/credentials/${id}`, { ip_allowlist: [] });
  const allowed = await read(first, key, abroad);
  t.equal(allowed.status, 200);
  t.equal(allowed.headers.get('x-ratelimit-remaining'), String(burst - 1));
});

test('refusing an address costs the one round trip of every request', async (t) => {
  const { api_key: key } = await lockedKey();
  await read(first, key, abroad);
  await read(first, key, abroad);
  const costs: number[][] = [];
  // A credential is looked up anew every two seconds: of several stretches one lies in between.
  for (let stretch = 0; stretch < 5; stretch += 1) {
    const before = await roundTrips(first);
    for (let call = 0; call < 5; call += 1) await read(first, key, abroad);
    const after = await roundTrips(first);
    costs.push(['redis', 'postgres'].map((kind) => (after[kind] ?? 0) - (before[kind] ?? 0)));
  }
  t.ok(
    costs.some(([redis, postgres]) => redis === 5 && postgres === 0),
    JSON.stringify(costs),
  );
});
