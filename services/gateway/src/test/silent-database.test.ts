import { until } from '@countersign/runtime/testing';
import { Wire } from '@countersign/runtime/testing/wire';
import { t as file, test } from 'tap';
import { type Replica, World } from './world.js';

const world = await World.start();
file.teardown(() => world.close());
const first = await world.replica();
const wire = await Wire.to(world.databaseUrl);
file.teardown(() => wire.close());
const cut = await world.replica({ DATABASE_URL: wire.url });

function authorize(key: string) {
  return cut.call('/api/v1/authorize', { key, body: { amount: '1' } });
}

async function reads({ context }: Replica): Promise<number> {
  const { values = [] } =
    (await context.metrics.registry.getSingleMetric('countersign_round_trips_total')?.get()) ?? {};
  return values.find(({ labels }) => labels.kind === 'postgres')?.value ?? 0;
}

test('an authorization does not wait until the driver gives up a silent database', async (t) => {
  const client = await first.client(world.identity);
  const { api_key: key, id } = await first.key(client.id);
  const { api_key: unknown } = await first.key(client.id);
  const subject = { id, environment: 'sandbox' } as const;
  const isFresh = async () => (await cut.context.authentication.gate.look(subject, 'none')).fresh;
  await cut.payUntilFresh(key, id);
  wire.silence();
  await until(async () => !(await isFresh()), { what: 'the version to be no longer fresh' });

  const known = await authorize(key);
  t.equal(known.status, 200, 'a known caller goes on');
  const before = await reads(cut);
  const next = await Promise.all(Array.from({ length: 20 }, () => authorize(key)));
  t.same(new Set(next.map(({ status }) => status)), new Set([200]));
  t.ok((await reads(cut)) - before <= 1, 'of the next ones at most one asks again');
  t.equal((await authorize(unknown)).status, 429, 'an unknown one is asked to come back');
  t.equal((await first.operate('POST', `/credentials/${id}/revoke`)).status, 200);
  t.equal((await authorize(key)).status, 429, 'a change that was announced is not ignored');

  wire.mend();
  await until(async () => (await authorize(unknown)).status === 200, { what: 'the database back' });
  t.equal((await authorize(key)).status, 401);
});
