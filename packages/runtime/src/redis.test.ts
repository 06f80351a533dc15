import root, { test } from 'tap';
import { Lifecycle } from './lifecycle.js';
import { createLog } from './log.js';
import { connectRedis } from './redis.js';
import { Wire } from './test/wire.js';
import { testUrl, until } from './testing.js';

const log = createLog({ service: 'redis-test', level: 'fatal' });
const lifecycle = new Lifecycle(log);
root.teardown(() => lifecycle.shutdown());

async function connectBy(wire: Wire) {
  const options = { redisUrl: wire.url, redisTimeoutMs: 100, namespace: 'redis-test' };
  const redis = connectRedis(options, { log, lifecycle });
  await until(() => redis.status === 'ready', { what: 'Redis' });
  return redis;
}

test('a connection whose other end is gone without a word is given up for another', async (t) => {
  const wire = await Wire.to(testUrl('redis'));
  t.teardown(() => wire.close());
  const redis = await connectBy(wire);
  wire.hold();
  await t.rejects(redis.ping(), /timed out/);
  const answers = () =>
    redis.ping().then(
      () => true,
      () => false,
    );
  await until(answers, { what: 'an answer over another connection' });
});

test('a connection on which nobody asks anything stays', async (t) => {
  const wire = await Wire.to(testUrl('redis'));
  t.teardown(() => wire.close());
  const redis = await connectBy(wire);
  const id = await redis.client('ID');
  // A second connection that gets closed meanwhile shows that the time has passed.
  const other = await connectBy(wire);
  const closed = new Promise((resolve) => other.once('close', resolve));
  await t.rejects(other.blpop('nothing', 0), /timed out/);
  await closed;
  t.equal(await redis.client('ID'), id);
});

test('a server that has become a replica is left for whoever has taken its place', async (t) => {
  const wire = await Wire.to(testUrl('redis'));
  t.teardown(() => wire.close());
  const redis = await connectBy(wire);
  const id = await redis.client('ID');
  await t.rejects(
    redis.eval("return redis.error_reply('READONLY as a replica is')", 0),
    /READONLY/,
  );
  const another = () => redis.client('ID').catch(() => id);
  await until(async () => (await another()) !== id, { what: 'another connection' });
});
