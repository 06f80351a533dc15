import { t as file, test } from 'tap';
import { World } from './world.js';

const world = await World.start();
file.teardown(() => world.close());
const first = await world.replica({ RATE_LIMIT_MULTIPLIER: '0' });
const second = await world.replica({ RATE_LIMIT_MULTIPLIER: '0' });
const { pool, authentication } = first.context;
/** More than are read at once, several statements, and many times what is told to Redis at once. */
const many = 10_100;

async function addKeys(clientId: string): Promise<void> {
  // Of one moment, so that batches begin and end among them.
  const at = new Date();
  // Not more in one statement than its timeout allows.
  const atOnce = 1_000;
  for (let first = 1; first <= many; first += atOnce) {
    await pool.query(
      `INSERT INTO credential (id, kind, client_id, environment, secret_hash, hint, created_at)
       SELECT 'acr_' || $1 || n, 'api_key', $1, 'sandbox', $1 || n, '', $4
       FROM generate_series($2::int, $3::int) n`,
      [clientId, first, Math.min(first + atOnce - 1, many), at],
    );
  }
}

async function versionsOf(clientId: string): Promise<Array<{ version: number; count: number }>> {
  const { rows } = await pool.query(
    'SELECT version, count(*)::int AS count FROM credential WHERE client_id = $1 GROUP BY 1',
    [clientId],
  );
  return rows;
}

test('a Client is suspended at once, however many credentials it has', async (t) => {
  const client = await first.client(world.identity);
  const { api_key: oldest } = await first.key(client.id);
  await addKeys(client.id);
  const { api_key: newest } = await first.key(client.id);
  const stranger = await first.client(world.identity);
  await first.key(stranger.id);
  const statuses = () =>
    Promise.all(
      [oldest, newest].map(async (key) => (await second.call('/api/v1/agents', { key })).status),
    );
  t.same(await statuses(), [200, 200]);
  let [telling, most] = [0, 0];
  const told = new Set<string>();
  const announce = authentication.gate.announce.bind(authentication.gate);
  t.intercept(authentication.gate, 'announce', {
    value: async (...args: Parameters<typeof announce>) => {
      told.add(args[0].id);
      telling += 1;
      most = Math.max(most, telling);
      await announce(...args);
      telling -= 1;
    },
  });
  const statements = t.capture(pool, 'query', pool.query);
  const suspended = await first.operate('PATCH', `/clients/${client.id}`, { status: 'SUSPENDED' });
  t.equal(suspended.json.status, 'SUSPENDED', suspended.text);
  t.same(await statuses(), [401, 401], 'from the moment it has answered');
  t.ok(most <= 100, `at most ${most} are told at once`);
  t.equal(told.size, many + 2);
  const raising = statements().filter(({ args: [text] }) => /UPDATE credential/.test(String(text)));
  t.equal(raising.length, 21, 'in statements of bounded length');
  t.same(await versionsOf(client.id), [{ version: 2, count: many + 2 }], 'each once');
  t.same(await versionsOf(stranger.id), [{ version: 1, count: 1 }], 'of this Client alone');
  await first.operate('PATCH', `/clients/${client.id}`, { status: 'ACTIVE' });
  t.same(await statuses(), [200, 200]);
});
