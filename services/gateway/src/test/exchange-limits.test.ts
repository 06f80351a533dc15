import { randomBytes } from 'node:crypto';
import { testUrl, until } from '@countersign/runtime/testing';
import { Wire } from '@countersign/runtime/testing/wire';
import { t as file, type Test, test } from 'tap';
import { newApiKey } from '../authentication/secrets.js';
import { newAddress, World } from './world.js';

const world = await World.start();
file.teardown(() => world.close());
const gateway = await world.replica();
const perMinute = 10;

async function oauthClient() {
  const client = await gateway.client(world.identity);
  const issued = await gateway.key(client.id, { kind: 'oauth_client' });
  return { id: issued.oauth_client_id as string, secret: issued.client_secret as string };
}

async function exchange(
  client_id: string,
  client_secret: string,
  { ip = newAddress(), replica = gateway } = {},
): Promise<number> {
  const body = { grant_type: 'client_credentials', client_id, client_secret };
  return (await replica.call('/api/v1/oauth/token', { body, ip })).status;
}

async function readsOfTheDatabase(): Promise<number> {
  const metric = await gateway.context.metrics.registry
    .getSingleMetric('countersign_round_trips_total')
    ?.get();
  const counted = metric?.values.find(({ labels }) => labels.kind === 'postgres');
  return counted?.value ?? 0;
}

/** A bucket gains a token every six seconds, which a slow machine must not take for a limit. */
async function untilRefused(t: Test, status: number, attempt: () => Promise<number>) {
  const startedAt = performance.now();
  let answered = 0;
  let last = await attempt();
  for (; last === status && answered < 5 * perMinute; answered += 1) last = await attempt();
  const gained = ((performance.now() - startedAt) / 60_000) * perMinute;
  t.equal(last, 429);
  t.ok(answered >= perMinute, `only ${answered} were answered ${status}`);
  t.ok(answered <= perMinute + Math.ceil(gained), `as many as ${answered} were answered ${status}`);
}

test('nobody who only knows a client id keeps its owner from exchanging', async (t) => {
  const { id, secret } = await oauthClient();
  const elsewhere = newAddress();
  await untilRefused(t, 401, () => exchange(id, 'svcos_wrong', { ip: elsewhere }));
  for (let attempt = 0; attempt < perMinute; attempt += 1) {
    t.equal(await exchange(id, 'svcos_wrong'), 401, 'from many networks');
  }
  // The owner has all of its exchanges, and no more than these.
  await untilRefused(t, 200, () => exchange(id, secret));
  t.equal(await exchange(id, 'svcos_wrong'), 401, 'of which only who has the secret is told');
});

test("the same for a Principal's key", async (t) => {
  const client = await gateway.client(world.identity);
  const [principal = ''] = client.principals;
  const { api_key: clientKey } = await gateway.key(client.id);
  const path = `/api/v1/principals/${principal}/sandbox-key`;
  const { json } = await gateway.call(path, { method: 'POST', key: clientKey });
  for (let attempt = 0; attempt <= perMinute; attempt += 1) {
    t.equal(await exchange(principal, newApiKey('sandbox')), 401);
  }
  t.equal(await exchange(principal, json.api_key), 200);
});

test('wrong secrets of one network that come all at once are not all looked up', async (t) => {
  const { id } = await oauthClient();
  const network = `2001:db8:${randomBytes(4).toString('hex').replace(/^.{4}/, '$&:')}`;
  const before = await readsOfTheDatabase();
  const startedAt = performance.now();
  const wrong = Array.from({ length: 5 * perMinute }, (_, host) =>
    exchange(id, 'svcos_wrong', { ip: `${network}::${host}` }),
  );
  const statuses = await Promise.all(wrong);
  const gained = ((performance.now() - startedAt) / 60_000) * perMinute;
  t.ok((await readsOfTheDatabase()) - before <= perMinute + Math.ceil(gained));
  t.ok(statuses.every((status) => status === 401 || status === 429));
});

test('with Redis away a replica counts the exchanges of a client itself', async (t) => {
  const wire = await Wire.to(testUrl('redis'));
  const replica = await world.replica({ REDIS_URL: wire.url });
  t.teardown(async () => {
    await replica.lifecycle.shutdown();
    wire.close();
  });
  const { id, secret } = await oauthClient();
  wire.cut();
  await until(() => replica.context.redis.status !== 'ready', { what: 'Redis to be noticed away' });
  await untilRefused(t, 200, () => exchange(id, secret, { replica }));
});
