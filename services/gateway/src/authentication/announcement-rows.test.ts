import { until } from '@countersign/runtime/testing';
import { waitingForLocks } from '@countersign/runtime/testing/locks';
import { openTestPool } from '@countersign/runtime/testing/pool';
import t, { test } from 'tap';
import { type Changed, notedUpdate, readNoted, settle } from './announcement-rows.js';

const pool = await openTestPool(t, 'gateway');
await pool.query(`INSERT INTO client (id, name) VALUES ('cli_1', 'Client')`);
await pool.query(
  `INSERT INTO credential (id, kind, client_id, environment, secret_hash, hint, created_at)
   SELECT id, 'api_key', 'cli_1', 'sandbox', id, '', now()
   FROM unnest('{acr_1,acr_2,acr_3}'::text[]) id`,
);

async function change(ids: string[], db: Pick<typeof pool, 'query'> = pool): Promise<Changed[]> {
  const update = 'UPDATE credential c SET version = version + 1 WHERE id = ANY($1)';
  const columns = 'c.id, c.environment, c.version';
  return (await db.query<Changed>(notedUpdate(update, columns), [ids])).rows;
}

async function noted(): Promise<string[]> {
  return (await readNoted(pool, '', 10)).map(({ id }) => id);
}

test('what was changed again, or is not told, stays noted', async (t) => {
  const told = await change(['acr_1', 'acr_2']);
  const again = await change(['acr_1', 'acr_3']);
  await settle(pool, told);
  t.same(await noted(), ['acr_1', 'acr_3']);
  await settle(pool, again);
  t.same(await noted(), []);
});

test('what is being changed while the version before it is settled stays noted', async (t) => {
  const told = await change(['acr_1']);
  const changing = await pool.connect();
  await changing.query('BEGIN');
  const again = await change(['acr_1'], changing);
  let isDone = false;
  const settling = settle(pool, told).finally(() => {
    isDone = true;
  });
  await until(async () => isDone || (await waitingForLocks(changing)) > 0);
  await changing.query('COMMIT');
  changing.release();
  await settling;
  t.same(await noted(), ['acr_1']);
  await settle(pool, again);
  t.same(await noted(), []);
});
