import { newId } from '@countersign/kernel/id';
import { test } from 'tap';
import { createPool } from './database.js';
import { createLog } from './log.js';
import { eventSweeps, sweep } from './retention.js';
import { testUrl } from './testing.js';

const schema = `events_${newId('event').slice(-12).toLowerCase()}`;
const tables = `
  CREATE SCHEMA ${schema}; SET search_path TO ${schema};
  CREATE TABLE outbox (seq bigserial PRIMARY KEY, created_at timestamptz DEFAULT now(),
    published_at timestamptz);
  CREATE TABLE unpublished (seq bigint PRIMARY KEY);
  CREATE TABLE inbox (event_id text PRIMARY KEY, received_at timestamptz DEFAULT now());
  CREATE INDEX ON inbox (received_at);`;
/** Rows of a small installation, few enough that the planner might scan the whole table. */
const many = 3_000;

test('events past their time are forgotten without a look at all others', async (t) => {
  const log = createLog({ service: 'test', level: 'silent' });
  const pool = createPool({ url: testUrl('postgres'), size: 1, log });
  t.teardown(async () => {
    await pool.query(`DROP SCHEMA ${schema} CASCADE`);
    await pool.end();
  });
  await pool.query(tables);
  const age = "now() - (CASE WHEN i <= 20 THEN 16 ELSE 0 END) * interval '1 day'";
  const from = `FROM generate_series(1, ${many}) i`;
  await pool.query(`INSERT INTO outbox (created_at) SELECT ${age} ${from}`);
  await pool.query(`INSERT INTO inbox SELECT i, ${age} ${from}`);
  await pool.query('INSERT INTO unpublished VALUES (7)');
  // Published again yesterday, which does not prolong its time.
  await pool.query("UPDATE outbox SET published_at = now() - interval '1 day' WHERE seq = 8");
  for (const statement of ['SELECT', 'ANALYZE']) {
    await pool.query(statement);
    t.equal(
      await sweep(pool, eventSweeps),
      statement === 'SELECT' ? 39 : 0,
      'but for the one that waits',
    );
    await pool.query('SELECT pg_stat_force_next_flush()');
    const { rows } = await pool.query(
      `SELECT sum(seq_tup_read)::int AS read FROM pg_stat_user_tables
       WHERE schemaname = $1 AND relname IN ('outbox', 'inbox')`,
      [schema],
    );
    t.same(rows, [{ read: 0 }], `after ${statement}`);
  }
});
