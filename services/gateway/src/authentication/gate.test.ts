import { randomBytes } from 'node:crypto';
import { newId } from '@countersign/kernel/id';
import { Lifecycle } from '@countersign/runtime/lifecycle';
import { createLog } from '@countersign/runtime/log';
import { Metrics } from '@countersign/runtime/metrics';
import { connectRedis } from '@countersign/runtime/redis';
import { testUrl, until } from '@countersign/runtime/testing';
import file, { test } from 'tap';
import { Gate } from './gate.js';
import { bucketKey, versionKey } from './gate-turn.js';

const log = createLog({ service: 'gate-test', level: 'fatal' });
const lifecycle = new Lifecycle(log);
file.teardown(() => lifecycle.shutdown());
const namespace = `test_${randomBytes(6).toString('hex')}`;

/** Each with a connection of its own, as in replicas. */
async function opened() {
  const options = { redisUrl: testUrl('redis'), redisTimeoutMs: 5_000, namespace };
  const redis = connectRedis(options, { log, lifecycle });
  await until(() => redis.status === 'ready', { timeoutMs: 60_000, what: 'Redis' });
  const metrics = new Metrics('test');
  return { redis, gate: new Gate({ redis, metrics, clock: Date.now, multiplier: 1 }) };
}

const { redis, gate } = await opened();
const { gate: other } = await opened();

const newSubject = () => ({ id: newId('credential'), environment: 'live' }) as const;

test('those of one turn ask together, each for the bucket of its credential', async (t) => {
  const many = newSubject();
  const few = newSubject();
  const asked = [many, few, many, many, few].map((subject) => gate.pass(subject, 'token'));
  const answers = await Promise.all(asked);
  t.same(
    answers.map(({ rate }) => rate?.remaining),
    [9, 9, 8, 7, 8],
  );
  t.same(
    answers.map(({ lease }) => lease !== null),
    [true, true, false, false, false],
    'one of each may fill in the version',
  );
  const alone = await other.pass(few, 'token');
  t.ok((alone.rate?.remaining ?? 10) < 9, 'and who asks alone, from the same');
});

/** A bucket that gains nothing before it is asked next. */
async function withTokens(tokens: number) {
  const subject = newSubject();
  await redis.hset(bucketKey(subject, 'write'), { tokens, at: Date.now() + 3_600_000 });
  return subject;
}

test('a bucket says what it has left, and after which time there is more', async (t) => {
  const subject = await withTokens(1.51);
  t.match((await gate.look(subject, 'write')).rate, {
    allowed: true,
    limit: 40,
    remaining: 1,
    fullInMs: 1_925,
    oneInMs: 0,
  });
  const drained = await withTokens(1.51);
  const [taking, refused] = await Promise.all([1, 2].map(() => gate.pass(drained, 'write')));
  t.match(taking?.rate, { allowed: true, remaining: 0, fullInMs: 1_975, oneInMs: 0 });
  t.match(refused?.rate, { allowed: false, remaining: 0, fullInMs: 1_975, oneInMs: 25 });
  const last = await gate.pass(await withTokens(1), 'write');
  t.match(last.rate, { allowed: true, remaining: 0 });
});

test('a bucket is forgotten once it is full, and not before', async (t) => {
  const subject = newSubject();
  const startedAt = performance.now();
  const asked = Array.from({ length: 5 }, () => gate.pass(subject, 'token'));
  const fullInMs = (await Promise.all(asked)).at(-1)?.rate?.fullInMs ?? 0;
  const leftMs = await redis.pttl(bucketKey(subject, 'token'));
  t.ok(leftMs + performance.now() - startedAt >= fullInMs, `in ${leftMs} ms`);
  t.ok(leftMs <= fullInMs + 1_000, `in ${leftMs} ms`);
});

test('a version is kept for an hour after it was told, and none for ever', async (t) => {
  const subject = newSubject();
  const key = versionKey(subject);
  const isKept = async (what: string) => {
    const leftMs = await redis.pttl(key);
    t.ok(leftMs > 600_000 && leftMs <= 3_600_000, `${what}: ${leftMs} ms`);
    await redis.pexpire(key, 600_000);
  };
  const { lease } = await gate.pass(subject, 'none');
  await isKept('a lease');
  gate.fill(subject, 1, lease);
  await isKept('what was read');
  await gate.announce(subject, 2);
  await isKept('a change');
});

test('a bucket holds no more than its burst, however long nobody asked', async (t) => {
  const subject = newSubject();
  const anHourAgo = { tokens: 0, at: Date.now() - 3_600_000 };
  await redis.hset(bucketKey(subject, 'write'), anHourAgo);
  const { rate } = await gate.pass(subject, 'write');
  t.match(rate, { allowed: true, remaining: 39, fullInMs: 50 });
});

test('a bucket that a clock of Redis dated into the future keeps nobody out', async (t) => {
  const subject = newSubject();
  const ahead = { tokens: 5, at: Date.now() + 3_600_000 };
  await redis.hset(bucketKey(subject, 'write'), ahead);
  t.match((await gate.pass(subject, 'write')).rate, { allowed: true, remaining: 4 });
});

test('what was read before a change never becomes the known version', async (t) => {
  const subject = newSubject();
  const before = await gate.pass(subject, 'none');
  t.equal(before.version, null);
  await gate.announce(subject, 2);
  gate.fill(subject, 1, before.lease);
  const { version, lease } = await gate.pass(subject, 'none');
  t.equal(version, null);
  gate.fill(subject, 2, lease);
  t.match(await gate.pass(subject, 'none'), { version: 2, fresh: true });

  const wiped = newSubject();
  const reader = await gate.pass(wiped, 'none');
  await gate.announce(wiped, 2);
  await redis.del(versionKey(wiped));
  gate.fill(wiped, 1, reader.lease);
  t.match(await gate.pass(wiped, 'none'), { version: null }, 'not even when Redis was wiped');

  await gate.announce(subject, 3);
  await gate.announce(subject, 2);
  t.match(
    await gate.pass(subject, 'none'),
    { version: 3, fresh: false },
    'announcements may overtake each other, and are read up on',
  );
});

test('a version that a clock of Redis dated into the future is not fresh', async (t) => {
  const subject = newSubject();
  const ahead = Date.now() + 3_600_000;
  // As they were written before the clock was set back, and by a process that has ended.
  const left = { version: 1, fresh: ahead, lease: 'of nobody', leased: ahead };
  await redis.hset(versionKey(subject), left);
  const asked = await gate.pass(subject, 'none');
  t.match(asked, { version: 1, fresh: false, lease: String });
  gate.fill(subject, 1, asked.lease);
  t.match(await gate.pass(subject, 'none'), { version: 1, fresh: true });
});

test('a version that is asked for all the time is still filled in', async (t) => {
  const subject = newSubject();
  const asked = [gate, other].flatMap((each) => Array.from({ length: 10 }, () => each));
  const answers = await Promise.all(asked.map((each) => each.pass(subject, 'none')));
  const holders = answers.filter(({ lease }) => lease !== null);
  t.equal(holders.length, 1, 'one asker at a time');
  for (const each of [gate, other]) each.fill(subject, 7, holders[0]?.lease ?? null);
  const filled = async () => (await gate.look(subject, 'none')).fresh;
  await until(filled, { what: 'the version' });
});

test('a lease that its holder did not use goes to another', async (t) => {
  const subject = newSubject();
  const left = { version: 1, fresh: 0, lease: 'of nobody', leased: Date.now() - 1_000 };
  await redis.hset(versionKey(subject), left);
  const { lease } = await gate.pass(subject, 'none');
  t.type(lease, 'string');
  gate.fill(subject, 2, lease);
  t.match(await gate.pass(subject, 'none'), { version: 2, fresh: true });
});
