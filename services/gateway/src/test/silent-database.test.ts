import { Wire } from '@countersign/runtime/test/wire';
import { until } from '@countersign/runtime/testing';
import { t as file, test } from 'tap';
import { type Answer, World } from './world.js';

const world = await World.start();
file.teardown(() => world.close());
const first = await world.replica();
const wire = await Wire.to(world.databaseUrl);
file.teardown(() => wire.close());
const connections = 2;
const cut = await world.replica({
  DATABASE_URL: wire.url,
  DATABASE_POOL_SIZE: String(connections),
});

/** As the gateway promises it. */
const deadlineMs = 1_500;

async function authorize(key: string): Promise<Answer & { ms: number }> {
  const startedAt = performance.now();
  const answer = await cut.call('/api/v1/authorize', { key, body: { amount: '1' } });
  return { ...answer, ms: performance.now() - startedAt };
}

test('a database that says nothing delays no authorization beyond its deadline', async (t) => {
  const client = await first.client(world.identity);
  const { api_key: key, id } = await first.key(client.id);
  const { api_key: unknown } = await first.key(client.id);
  const subject = { id, environment: 'sandbox' } as const;
  const isFresh = async () => (await cut.context.authentication.gate.look(subject, 'none')).fresh;
  t.equal((await authorize(key)).status, 200);
  await until(isFresh, { what: 'the version to be known' });
  // A connection that is opened later would not be held.
  const { pool } = cut.context;
  await Promise.all(Array.from({ length: connections }, () => pool.query('SELECT pg_sleep(0.1)')));
  wire.hold();
  await until(async () => !(await isFresh()), { what: 'the version to be no longer fresh' });

  const known = await authorize(key);
  t.equal(known.status, 200, 'a known caller goes on');
  t.ok(known.ms < deadlineMs, `after ${known.ms} ms`);
  const next = await authorize(key);
  t.equal(next.status, 200);
  t.ok(next.ms < deadlineMs / 3, `the next one does not wait for it: ${next.ms} ms`);
  const refused = await authorize(unknown);
  t.equal(refused.status, 429, 'an unknown one is asked to come back');
  t.ok(refused.ms < deadlineMs, `after ${refused.ms} ms`);
  await first.operate('POST', `/credentials/${id}/revoke`);
  t.equal((await authorize(key)).status, 429, 'a change that was announced is not ignored');

  wire.mend();
  await until(async () => (await authorize(unknown)).status === 200, { what: 'the database back' });
  t.equal((await authorize(key)).status, 401);
});
