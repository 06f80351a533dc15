import { t as file, test } from 'tap';
import { routes } from '../routes.js';
import { World } from './world.js';

const world = await World.start();
file.teardown(() => world.close());
let now = Date.now();
const gateway = await world.replica({}, { routes, clock: () => now });
const { pool, redis, clients, lifecycle } = gateway.context;

test('however often health is asked for, its parts are asked once a second', async (t) => {
  const queries = t.capture(pool, 'query', pool.query);
  const pings = t.capture(redis, 'ping', redis.ping);
  const services = Object.values(clients).map((client) => t.capture(client, 'ready', client.ready));
  // The gateway also looks for changes of credentials there.
  const looks = () => queries().filter(({ args: [sql] }) => String(sql) === 'SELECT 1');
  const everything = () => [looks, pings, ...services].map((calls) => calls().length);
  const ask = (path: string) =>
    Promise.all(Array.from({ length: 50 }, () => gateway.call(`/api/v1/health${path}`)));
  const answers = (await Promise.all([ask(''), ask('/ready')])).flat();
  t.same(new Set(answers.map(({ status }) => status)), new Set([200]));
  t.same(everything(), Array(7).fill(1));
  t.match(answers[0]?.json.checks, { database: 'ok', redis: 'ok', ledger: 'ok' });
  now += 999;
  await ask('');
  t.same(everything(), Array(7).fill(0), 'within the second');
  now += 1;
  await Promise.all([ask(''), ask('/ready')]);
  t.same(everything(), Array(7).fill(1), 'after it');
});

test('a failed part is told for a second, and a replica that stops at once', async (t) => {
  const status = async (path: string) => {
    const answer = await gateway.call(`/api/v1/health${path}`, { once: true });
    return [answer.status, answer.json.status];
  };
  now += 1_000;
  const failing = t.intercept(pool, 'query', {
    value: async () => {
      throw new Error('away');
    },
  });
  t.same(await status(''), [503, 'down']);
  failing.restore();
  t.same(await status('/ready'), [503, 'down']);
  now += 1_000;
  t.same(await status('/ready'), [200, 'ok']);
  t.same((await status(''))[0], 200);
  const stopping = t.intercept(lifecycle, 'accepting', { value: false });
  t.same(await status('/ready'), [503, 'stopping']);
  stopping.restore();
});
