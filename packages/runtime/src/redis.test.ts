import root, { test } from 'tap';
import { Lifecycle } from './lifecycle.js';
import { createLog, type Logger } from './log.js';
import { connectRedis } from './redis.js';
import { Wire } from './testing/wire.js';
import { testUrl, until } from './testing.js';

const log = createLog({ service: 'redis-test', level: 'fatal' });
const lifecycle = new Lifecycle(log);
root.teardown(() => lifecycle.shutdown());

interface Connecting {
  redisTimeoutMs?: number;
  to?: Logger;
}

async function connectBy(wire: Wire, { redisTimeoutMs = 100, to = log }: Connecting = {}) {
  const options = { redisUrl: wire.url, redisTimeoutMs, namespace: 'redis-test' };
  const redis = connectRedis(options, { log: to, lifecycle });
  await until(() => redis.status === 'ready', { what: 'Redis' });
  return redis;
}

/** For a connection whose commands have little time, on a machine that may be busy for longer. */
async function answerTo<T>(ask: () => Promise<T>): Promise<T> {
  const asked = () =>
    ask().then(
      (answer) => ({ answer }),
      () => null,
    );
  return (await until(asked, { what: 'an answer' })).answer;
}

/** Where no server falls silent. */
const redisTimeoutMs = 5_000;

test('a connection whose other end is gone without a word is given up for another', async (t) => {
  const wire = await Wire.to(testUrl('redis'));
  t.teardown(() => wire.close());
  const redis = await connectBy(wire);
  const key = `unanswered-${process.pid}`;
  wire.hold();
  await t.rejects(redis.incr(key), /timed out/);
  t.equal(await answerTo(() => redis.get(key)), null, 'what had no answer is not sent again');
});

test('a connection on which nobody asks anything stays', async (t) => {
  const wire = await Wire.to(testUrl('redis'));
  t.teardown(() => wire.close());
  const redis = await connectBy(wire);
  const ask = () => redis.client('ID');
  const id = await answerTo(ask);
  // A second connection that gets closed meanwhile shows that the time has passed.
  const other = await connectBy(wire);
  const closed = new Promise((resolve) => other.once('close', resolve));
  await t.rejects(other.blpop('nothing', 0), /timed out/);
  await closed;
  t.equal(await answerTo(ask), id);
});

test('a server that has become a replica is left for whoever has taken its place', async (t) => {
  const wire = await Wire.to(testUrl('redis'));
  t.teardown(() => wire.close());
  const warnings: string[] = [];
  const warn = (_fields: unknown, message: string) => warnings.push(message);
  const redis = await connectBy(wire, {
    redisTimeoutMs,
    to: { warn, info: () => {} } as unknown as Logger,
  });
  const write = () => redis.eval("return redis.error_reply('READONLY as a replica is')", 0);
  const leave = async () => {
    const id = await redis.client('ID');
    await t.rejects(write(), /READONLY/);
    const another = () => redis.client('ID').catch(() => id);
    await until(async () => (await another()) !== id, { what: 'another connection' });
  };
  await leave();
  const reported = 'redis is a replica that accepts no writes; reconnecting';
  t.same(warnings, [reported]);
  await leave();
  t.same(warnings, [reported], 'not once for every write that such a server refuses');
});

test('a server that refuses commands while it answers PING is reported', async (t) => {
  const refusals = {
    "OOM command not allowed when used memory > 'maxmemory'.": 'redis refuses commands',
    'NOPERM this user has no permissions': 'redis refuses commands',
    "CROSSSLOT Keys in request don't hash to the same slot": 'redis is a cluster',
  };
  for (const [refusal, reported] of Object.entries(refusals)) {
    const wire = await Wire.to(testUrl('redis'));
    t.teardown(() => wire.close());
    const warnings: string[] = [];
    const warn = (_fields: unknown, message: string) => warnings.push(message);
    const redis = await connectBy(wire, {
      redisTimeoutMs,
      to: { warn, info: () => {} } as unknown as Logger,
    });
    for (let n = 0; n < 2; n += 1) {
      await t.rejects(redis.eval('return redis.error_reply(ARGV[1])', 0, refusal));
    }
    await t.rejects(redis.evalsha('0'.repeat(40), 0), /NOSCRIPT/);
    t.match(warnings, [new RegExp(reported)]);
    t.equal(warnings.length, 1, 'once');
  }
});
