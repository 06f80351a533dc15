import { sweep } from '@countersign/runtime/retention';
import { openTestPool } from '@countersign/runtime/testing/pool';
import root, { test } from 'tap';
import { sweeps } from '../sweep.js';

const pool = await openTestPool(root, 'notifier');

const hooks = `
  INSERT INTO webhook (id, client_id, principal_id, url, secret, secret_key_id, created_at)
  SELECT id, 'cli_1', 'prn_1', 'https://example.com', '', '', now()
  FROM unnest('{busy,gone}'::text[]) id`;
const deliveries = `
  INSERT INTO delivery
    (id, webhook_id, event_id, event, data, status, attempts_left, created_at, finished_at)
  SELECT 'whd_' || i, CASE WHEN i <= 20000 THEN 'busy' ELSE 'gone' END, 'evt_' || i,
    'step_up.created', '{}', 'DELIVERED', 0, now(), now() FROM generate_series(1, 20010) i`;

/** Number of rows of the large tables read by sequential scans. */
async function readInPassing(): Promise<number> {
  await pool.query('SELECT pg_stat_force_next_flush()');
  const { rows } = await pool.query<{ read: number }>(
    `SELECT sum(seq_tup_read)::int AS read FROM pg_stat_user_tables
     WHERE relname IN ('delivery', 'inbox')`,
  );
  return rows[0]?.read ?? 0;
}

test('the deliveries of a deleted webhook are deleted without reading all others', async (t) => {
  await pool.query(hooks);
  await pool.query(deliveries);
  await pool.query('ANALYZE delivery');
  await pool.query("UPDATE webhook SET deleted_at = now() WHERE id = 'gone'");
  const before = await readInPassing();
  t.equal(await sweep(pool, sweeps(30)), 11, 'ten deliveries and their webhook');
  t.equal((await readInPassing()) - before, 0);
});

test('without statistics, sweeps read only expired rows', async (t) => {
  await pool.query('TRUNCATE delivery, webhook');
  await pool.query(hooks);
  await pool.query(deliveries);
  await pool.query(
    `INSERT INTO inbox (event_id) SELECT 'evt_' || i FROM generate_series(1, 20000) i`,
  );
  await pool.query(
    `UPDATE delivery SET finished_at = now() - interval '31 days' WHERE webhook_id = 'gone'`,
  );
  await pool.query(
    `UPDATE inbox SET received_at = now() - interval '16 days'
     WHERE event_id IN ('evt_1', 'evt_2')`,
  );
  const before = await readInPassing();
  t.equal(await sweep(pool, sweeps(30)), 12, 'ten deliveries and two events');
  t.equal((await readInPassing()) - before, 0);
});

test('a sweep leaves what is locked, and a webhook with it, and deletes the rest', async (t) => {
  await pool.query('TRUNCATE delivery, webhook');
  await pool.query(hooks);
  await pool.query(
    `WITH d AS (
       INSERT INTO delivery
         (id, webhook_id, event_id, event, data, status, attempts_left, created_at)
       SELECT id, 'gone', id, 'step_up.created', '{}', 'FAILED', 0, now()
       FROM unnest('{free,locked}'::text[]) id)
     INSERT INTO webhook (id, client_id, principal_id, url, secret, secret_key_id, created_at)
     SELECT id, 'cli_1', 'prn_1', 'https://example.com', '', '', now()
     FROM unnest('{empty,empty locked}'::text[]) id`,
  );
  await pool.query("UPDATE webhook SET deleted_at = now() WHERE id <> 'busy'");
  const other = await pool.connect();
  await other.query(`BEGIN; SELECT FROM delivery WHERE id = 'locked' FOR UPDATE`);
  await other.query(`SELECT FROM webhook WHERE id = 'empty locked' FOR UPDATE`);
  t.equal(await sweep(pool, sweeps(30)), 2, 'a delivery, and a webhook without any');
  await other.query('ROLLBACK');
  other.release();
  t.equal(await sweep(pool, sweeps(30)), 3);
  t.same((await pool.query('SELECT id FROM webhook')).rows, [{ id: 'busy' }]);
});
