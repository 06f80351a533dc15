import type { Environment } from '@countersign/kernel/environment';
import { Fault } from '@countersign/kernel/fault';
import { testUrl, until } from '@countersign/runtime/testing';
import { Wire } from '@countersign/runtime/testing/wire';
import { t as file, type Test, test } from 'tap';
import { versionKey } from '../authentication/gate-turn.js';
import { type Replica, World } from './world.js';

interface Subject {
  id: string;
  environment: Environment;
}

interface Gateway {
  replica: Replica;
  redis: Wire;
  database: Wire;
}

/** Two gateways, each of which a test can separate from Redis and from PostgreSQL. */
async function twoGateways(t: Test) {
  const world = await World.start();
  t.teardown(() => world.close());
  const open = async (): Promise<Gateway> => {
    const redis = await Wire.to(testUrl('redis'));
    const database = await Wire.to(world.databaseUrl);
    t.teardown(() => [redis, database].map((wire) => wire.close()));
    const urls = { REDIS_URL: redis.url, DATABASE_URL: database.url };
    const replica = await world.replica(urls);
    return { replica, redis, database };
  };
  return { world, operator: await open(), payer: await open(), open };
}

async function statusOf({ replica }: Gateway, key: string): Promise<number> {
  return (await replica.call('/api/v1/authorize', { key, body: { amount: '1' } })).status;
}

function look({ replica }: Gateway, subject: Subject) {
  return replica.context.authentication.gate.look(subject, 'none');
}

function relies({ replica }: Gateway): boolean {
  return replica.context.authentication.announcements.reliesOnRedis;
}

/** A key that `payer` has used, and whose version Redis keeps and no longer calls fresh. */
async function usedKey(world: World, payer: Gateway) {
  const client = await payer.replica.client(world.identity);
  const { api_key: key, id } = await payer.replica.key(client.id);
  const subject: Subject = { id, environment: 'sandbox' };
  await payer.replica.payUntilFresh(key, id);
  await payer.replica.context.redis.hset(versionKey(subject), { fresh: 0 });
  return { key, subject, clientId: client.id };
}

async function separate({ replica, redis }: Gateway): Promise<void> {
  redis.cut();
  await until(() => replica.context.redis.status !== 'ready', { what: 'Redis to be away' });
}

async function rowsOf({ replica }: Gateway, table: string): Promise<number> {
  return (await replica.context.pool.query(`SELECT FROM ${table}`)).rows.length;
}

test('where Redis is away from all, a change holds as soon as all know of it', async (t) => {
  const { world, operator, payer } = await twoGateways(t);
  const { key, subject } = await usedKey(world, payer);
  await Promise.all([separate(operator), separate(payer)]);
  const path = `/credentials/${subject.id}/revoke`;
  const revoked = await operator.replica.operate('POST', path);
  t.equal(revoked.status, 200, revoked.text);
  t.equal(relies(payer), false, 'Redis may come back with what it had');
  payer.database.cut();
  payer.redis.mend();
  await until(() => payer.replica.context.redis.status === 'ready', { what: 'Redis to be back' });
  t.match(await look(payer, subject), { version: 1 }, 'as it does');
  t.equal(await statusOf(payer, key), 429, 'and is not believed');

  payer.database.mend();
  await until(async () => (await statusOf(payer, key)) === 401, { what: 'the database' });
  await until(async () => (await look(payer, subject)).version === 2, { what: 'Redis to be told' });
  await until(() => relies(payer), { what: 'relying on Redis again' });
  t.equal(await rowsOf(payer, 'credential_announcement'), 0);
});

test('a change is not promised while a gateway may know nothing of it', async (t) => {
  const { world, operator, payer } = await twoGateways(t);
  const { key, subject } = await usedKey(world, payer);
  payer.database.cut();
  t.equal(await statusOf(payer, key), 200, 'without the database, by Redis');
  await separate(operator);
  const path = `/credentials/${subject.id}`;
  const rotated = await operator.replica.operateOnce('POST', `${path}/rotate`, {
    grace_seconds: 0,
  });
  t.equal(rotated.status, 503);
  t.match(rotated.json.error.message, /Nothing was changed/, 'since its secret would be lost');
  const revoked = await operator.replica.operateOnce('POST', `${path}/revoke`);
  t.equal(revoked.status, 503);
  t.match(revoked.json.error.message, /was saved/);
  t.equal(await statusOf(operator, key), 401, 'as it holds where the database is asked');

  operator.redis.mend();
  await until(async () => (await look(payer, subject)).version === 2, { what: 'Redis to be told' });
  t.equal(await statusOf(payer, key), 429);
  t.equal((await operator.replica.operate('POST', `${path}/revoke`)).status, 200);
});

test('a Client is suspended once every gateway knows, where Redis cannot be told', async (t) => {
  const { world, operator, payer } = await twoGateways(t);
  const { key, clientId } = await usedKey(world, payer);
  payer.database.cut();
  t.equal(await statusOf(payer, key), 200, 'without the database, by Redis');
  await separate(operator);
  const suspending = ['PATCH', `/clients/${clientId}`, { status: 'SUSPENDED' }] as const;
  const { status, json } = await operator.replica.operateOnce(...suspending);
  t.equal(status, 503, 'it still lets payments in');
  t.match(json.error.message, /was saved/);
  payer.database.mend();
  t.equal((await operator.replica.operate(...suspending)).status, 200);
  t.equal(await statusOf(payer, key), 401);
});

test('a rotation that nobody hears of ends no secret that is to stay', async (t) => {
  const { world, operator, payer } = await twoGateways(t);
  const { key, subject } = await usedKey(world, payer);
  const { announcements } = operator.replica.context.authentication;
  const fault = new Fault('unavailable', { code: 'SERVICE_UNAVAILABLE', message: 'Away.' });
  t.intercept(announcements, 'announce', { value: () => Promise.reject(fault) });
  const rotate = (grace: number) =>
    operator.replica.operateOnce('POST', `/credentials/${subject.id}/rotate`, {
      grace_seconds: grace,
    });
  const { status, json } = await rotate(60);
  t.equal(status, 200);
  const both = () => Promise.all([key, json.api_key].map((secret) => statusOf(payer, secret)));
  t.same(await both(), [200, 200]);
  t.equal((await rotate(0)).status, 503, 'what should end may not have ended everywhere');
});

test('what a gateway could not announce is announced by another', async (t) => {
  const { world, operator, payer } = await twoGateways(t);
  const { key, subject } = await usedKey(world, payer);
  await separate(operator);
  const revoked = await operator.replica.operate('POST', `/credentials/${subject.id}/revoke`);
  t.equal(revoked.status, 200, revoked.text);
  t.match(await look(payer, subject), { version: 2 });
  payer.database.cut();
  t.equal(await statusOf(payer, key), 429);
});

test('what is announced at once leaves nothing behind', async (t) => {
  const { world, operator, payer } = await twoGateways(t);
  const { subject } = await usedKey(world, payer);
  const path = `/credentials/${subject.id}`;
  await operator.replica.operate('POST', `${path}/rotate`, { grace_seconds: 60 });
  await operator.replica.operate('PATCH', path, { label: 'desk' });
  await operator.replica.operate('POST', `${path}/revoke`);
  t.equal((await look(payer, subject)).version, 4);
  t.equal(await rowsOf(payer, 'credential_announcement'), 0);
});

test('a gateway is on the list until it ends, and one that was killed for an hour', async (t) => {
  const { operator, payer, open } = await twoGateways(t);
  const { pool } = payer.replica.context;
  t.equal(await rowsOf(payer, 'gateway_replica'), 2);
  await operator.replica.lifecycle.shutdown();
  t.equal(await rowsOf(payer, 'gateway_replica'), 1);

  const kill = (instance: string, minutes: number) =>
    pool.query(
      `INSERT INTO gateway_replica (instance, seen_at)
       VALUES ($1, now() - $2::int * interval '1 minute')`,
      [instance, minutes],
    );
  await kill('now', 59);
  await kill('before', 62);
  await until(async () => (await rowsOf(payer, 'gateway_replica')) === 2, { what: 'forgetting' });
  const { rows } = await pool.query('SELECT FROM gateway_replica WHERE instance = $1', ['now']);
  t.equal(rows.length, 1);
  t.equal(relies(await open()), true, 'a new one begins at once');
});

file.end();
