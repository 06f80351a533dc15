import { sweep } from '@countersign/runtime/retention';
import { openTestPool } from '@countersign/runtime/testing/pool';
import root, { test } from 'tap';
import { bringForward } from '../set-back.js';

const pool = await openTestPool(root, 'notifier');

/**
 * One retry each that is due in an hour, after a clock was set back, and in nine minutes; and one
 * attempt in flight, whose lease ends in an hour.
 */
const rows = `
  WITH hook AS (
    INSERT INTO webhook (id, client_id, principal_id, url, secret, secret_key_id, created_at)
    VALUES ('wh_1', 'cli_1', 'prn_1', 'https://example.com', '', '', now()) RETURNING id
  ), waiting AS (
    SELECT * FROM (VALUES ('later', interval '1 hour', NULL), ('soon', interval '9 minutes', NULL),
      ('taken', interval '1 hour', 'lease')) v (id, wait, lease)
  ), code AS (
    INSERT INTO one_time_code (authorization_id, client_id, principal_id, amount, currency,
      expires_at, next_attempt_at, lease)
    SELECT waiting.id, 'cli_1', 'prn_1', 1, 'USD', now() + wait, now() + wait, lease FROM waiting
  )
  INSERT INTO delivery
    (id, webhook_id, event_id, event, data, attempts_left, created_at, next_attempt_at, lease)
  SELECT waiting.id, hook.id, 'evt_' || waiting.id, 'gate.fired', '{}', 3, now(), now() + wait,
    lease
  FROM waiting, hook`;

const waits = `
  SELECT 'delivery ' || id AS what, next_attempt_at AS due FROM delivery
  UNION ALL
  SELECT 'code ' || authorization_id, next_attempt_at FROM one_time_code`;

test('nothing waits for as long as the clock of the database was set back', async (t) => {
  await pool.query(rows);
  t.equal(await sweep(pool, bringForward), 4);
  const { rows: found } = await pool.query<{ what: string }>(
    `SELECT what FROM (${waits}) w WHERE due <= now() + interval '1 minute' ORDER BY what`,
  );
  t.strictSame(
    found.map(({ what }) => what),
    ['code later', 'code taken', 'delivery later', 'delivery taken'],
    'an ordinary retry keeps its time',
  );
  const { rows: pairs } = await pool.query<{ what: string; after: string }>(
    `SELECT taken.what, (taken.due - later.due)::text AS after
     FROM (${waits}) taken, (${waits}) later
     WHERE later.what = replace(taken.what, 'taken', 'later') AND taken.what LIKE '% taken'
     ORDER BY what`,
  );
  t.strictSame(
    pairs,
    ['code taken', 'delivery taken'].map((what) => ({ what, after: '00:01:00' })),
    'an attempt in flight has time to end, or it would be made twice',
  );
  t.equal(await sweep(pool, bringForward), 0);
});

test('what is locked does not keep the rest waiting', async (t) => {
  for (const table of ['delivery', 'one_time_code']) {
    await pool.query(`UPDATE ${table} SET next_attempt_at = now() + interval '1 hour'`);
    const other = await pool.connect();
    await other.query(`BEGIN; SELECT FROM ${table} WHERE lease IS NOT NULL FOR UPDATE`);
    t.equal(await sweep(pool, bringForward), 2, table);
    await other.query('ROLLBACK');
    other.release();
    t.equal(await sweep(pool, bringForward), 1, table);
  }
});
