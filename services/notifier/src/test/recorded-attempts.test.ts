import type { Pool } from '@countersign/runtime/database';
import { createLog } from '@countersign/runtime/log';
import { Metrics } from '@countersign/runtime/metrics';
import { openTestPool } from '@countersign/runtime/testing/pool';
import root, { test } from 'tap';
import type { Job } from '../deliver.js';
import { deliveryMetrics } from '../delivery-metrics.js';
import { recordAttempt } from '../record.js';
import type { AttemptError } from '../retry.js';
import { hooksOfPrincipalSql } from '../sql.js';

const pool = await openTestPool(root, 'notifier');
const metrics = deliveryMetrics(new Metrics('test'));
const log = createLog({ service: 'test', level: 'silent' });

await pool.query(`
  INSERT INTO webhook (id, client_id, principal_id, url, secret, secret_key_id, created_at)
  VALUES ('wh_1', 'cli_1', 'prn_1', 'https://example.com', '', '', now()),
    ('wh_2', 'cli_2', 'prn_2', 'https://example.com', '', '', now())`);

/** A delivery that is leased, with so many attempts left. */
async function leased(id: string, attemptsLeft: number): Promise<void> {
  await pool.query(
    `INSERT INTO delivery (id, webhook_id, event_id, event, data, attempts_left, created_at,
       next_attempt_at, lease)
     VALUES ($1, 'wh_1', $1, 'gate.fired', '{}', $2, now(), now(), 'one')`,
    [id, attemptsLeft],
  );
}

function attempted(id: string, attemptsLeft: number, answer: number | AttemptError) {
  const job = {
    ...{ id, webhook_id: 'wh_1', lease: 'one', attempts_left: attemptsLeft, attempt_count: 0 },
  } as Job;
  const [statusCode, error] = typeof answer === 'number' ? [answer, null] : [null, answer];
  const result = { at: '2026-11-21T09:30:00.000Z', statusCode, error, durationMs: 1 } as const;
  return [job, result] as const;
}

const parts = { environment: 'live', pool, metrics, log, retryBaseMs: 1 } as const;

function record(...about: Parameters<typeof attempted>) {
  return recordAttempt(...attempted(...about), parts);
}

const lastStatus = async () =>
  (await pool.query("SELECT last_status_code FROM webhook WHERE id = 'wh_1'")).rows[0]
    .last_status_code;

test('what is delivered or has failed is finished, so that it is deleted in time', async (t) => {
  // All that are claimed at once have one lease.
  for (const id of ['good', 'bad', 'again']) await leased(id, 5);
  t.equal(await record('good', 5, 200), 'delivered');
  t.equal(await record('bad', 5, 400), 'failed');
  t.equal(await record('again', 5, 503), 'retry');
  const { rows } = await pool.query(
    'SELECT id, finished_at IS NOT NULL AS finished, lease FROM delivery ORDER BY id',
  );
  t.same(rows, [
    { id: 'again', finished: false, lease: null },
    { id: 'bad', finished: true, lease: null },
    { id: 'good', finished: true, lease: null },
  ]);
  const other = await pool.query(
    `SELECT consecutive_failures, last_status_code, last_delivery_at FROM webhook
     WHERE id = 'wh_2'`,
  );
  t.same(
    other.rows,
    [{ consecutive_failures: 0, last_status_code: null, last_delivery_at: null }],
    'the webhook of another Principal is not touched',
  );
});

test('an attempt without an answer leaves the status of the last answer', async (t) => {
  await leased('silent', 5);
  const before = await lastStatus();
  t.equal(before, 503);
  t.equal(await record('silent', 5, 'TIMEOUT'), 'retry');
  t.equal(await lastStatus(), before);
  await leased('last', 1);
  t.equal(await record('last', 1, 'TIMEOUT'), 'failed');
  t.equal(await lastStatus(), before);
});

test('what this service cannot sign waits, and counts against no webhook', async (t) => {
  await leased('unsigned', 1);
  const failures = async () =>
    (await pool.query('SELECT sum(consecutive_failures) FROM webhook')).rows[0].sum;
  const before = await failures();
  t.equal(await record('unsigned', 1, 'SECRET_UNAVAILABLE'), 'retry');
  t.equal(await failures(), before);
  const { rows } = await pool.query(
    `SELECT status, attempts_left AS left, attempt_count AS made, attempts, lease,
       next_attempt_at > now() + interval '5 seconds' AS later FROM delivery WHERE id = 'unsigned'`,
  );
  t.same(rows, [{ status: 'PENDING', left: 1, made: 0, attempts: [], lease: null, later: true }]);
  await leased('long-unsigned', 1);
  await pool.query(
    "UPDATE delivery SET created_at = now() - interval '4 days' WHERE id = 'long-unsigned'",
  );
  t.equal(await record('long-unsigned', 1, 'SECRET_UNAVAILABLE'), 'failed', 'but not for ever');
});

/** How many seconds a delivery of that age waits after an attempt. */
async function pauseAfter(age: string, ...about: Parameters<typeof attempted>): Promise<number> {
  const [id, attemptsLeft] = about;
  await leased(id, attemptsLeft);
  const client = await pool.connect();
  // In a transaction `now()` stands still.
  await client.query('BEGIN');
  const aged = 'UPDATE delivery SET created_at = now() - $2::interval WHERE id = $1';
  await client.query(aged, [id, age]);
  const inside = { ...parts, pool: client as unknown as Pool, retryBaseMs: 1_000 };
  await recordAttempt(...attempted(...about), inside);
  const { rows } = await client.query(
    'SELECT extract(epoch FROM next_attempt_at - now())::float8 AS s FROM delivery WHERE id = $1',
    [id],
  );
  await client.query('COMMIT');
  client.release();
  return rows[0].s;
}

test('retries are made after about 1, 2, 4 and 8 seconds', async (t) => {
  for (const [left, seconds] of [
    [5, 1],
    [4, 2],
    [3, 4],
    [2, 8],
  ] as const) {
    const waits = await pauseAfter('0 seconds', `retried-${left}`, left, 503);
    t.ok(Math.abs(waits - seconds) < 0.21 * seconds, `${waits} of ${seconds}`);
  }
});

test('what cannot be signed waits the longer, the older it is, up to five minutes', async (t) => {
  const waits = async (age: string) =>
    Math.round(await pauseAfter(age, `unsigned for ${age}`, 5, 'SECRET_UNAVAILABLE'));
  t.equal(await waits('1 second'), 10);
  t.equal(await waits('16 minutes'), 120);
  t.equal(await waits('2 days'), 300);
});

test('of a delivery only the latest 25 attempts are kept, and all are counted', async (t) => {
  await leased('often', 5);
  for (let n = 0; n < 30; n += 1) {
    await pool.query("UPDATE delivery SET lease = 'one', attempts_left = 5 WHERE id = 'often'");
    await record('often', 5, 500 + n);
  }
  const { rows } = await pool.query(
    `SELECT attempt_count AS count, jsonb_array_length(attempts) AS kept,
       attempts -> 0 -> 'status_code' AS first, attempts -> -1 -> 'status_code' AS last
     FROM delivery WHERE id = 'often'`,
  );
  t.same(rows, [{ count: 30, kept: 25, first: 505, last: 529 }]);
});

test('a deleted webhook gets no event', async (t) => {
  const hooks = async () => (await pool.query(hooksOfPrincipalSql, ['prn_1'])).rowCount;
  t.equal(await hooks(), 1);
  await pool.query('UPDATE webhook SET deleted_at = now()');
  t.equal(await hooks(), 0);
});
