import { newId } from '@countersign/kernel/id';
import type { PoolClient } from '@countersign/runtime/database';
import { createTestDatabase, until } from '@countersign/runtime/testing';
import root, { test } from 'tap';
import { claimValues } from '../dispatcher.js';
import { Slots } from '../slots.js';
import { claimSql, dropSql, nextDueSql, releaseSql } from '../sql.js';
import { createSending } from './sending.js';

const limits = { total: 64, perEndpoint: 8 };
const database = await createTestDatabase('notifier');
// Never started: the tests claim as its replicas would.
const { pool, addHooks, addDue, stop } = createSending(database.url, limits);

root.teardown(async () => {
  await stop();
  await database.drop();
});

root.beforeEach(async () => {
  await pool.query('TRUNCATE webhook, delivery');
});

/** Webhooks with one due delivery each. */
async function dueHooks(count: number): Promise<string[]> {
  const hooks = await addHooks(newId('principal'), count);
  await addDue(hooks);
  return hooks;
}

async function claim(sql = claimSql, limit = 64) {
  const values = claimValues(new Slots(limits).openings(), { limit, leaseMs: 60_000 });
  return (await pool.query<{ id: string; webhook_id: string; lease: string }>(sql, values)).rows;
}

const lockSql = 'SELECT FROM delivery WHERE webhook_id = $1 FOR UPDATE';

/** A connection of another replica, in a transaction that began with this statement. */
async function otherReplica(sql: string, webhookId: string): Promise<PoolClient> {
  const other = await pool.connect();
  await other.query('BEGIN');
  await other.query(sql, [webhookId]);
  return other;
}

async function ended(other: PoolClient, how: 'COMMIT' | 'ROLLBACK'): Promise<void> {
  await other.query(how);
  other.release();
}

test('a claim does not wait for what another replica is claiming', async (t) => {
  const [held = '', free] = await dueHooks(2);
  const other = await otherReplica(lockSql, held);
  t.same(
    (await claim()).map((job) => job.webhook_id),
    [free],
  );
  await ended(other, 'ROLLBACK');
  t.same(
    (await claim()).map((job) => job.webhook_id),
    [held],
  );
});

test('what another replica claims while a claim chooses is not claimed twice', async (t) => {
  await dueHooks(1);
  const other = await otherReplica('SELECT pg_advisory_xact_lock(1), $1', '');
  // Between what a claim sees and what it locks.
  const pause = 'FROM open o CROSS JOIN (SELECT pg_advisory_xact_lock(1)) pause';
  const slow = claim(claimSql.replace('FROM open o', pause));
  const waiting = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
  await until(async () => (await pool.query(waiting)).rowCount === 1);
  t.equal((await claim()).length, 1);
  await ended(other, 'COMMIT');
  t.same(await slow, []);
});

test('a claim takes no more than there is room for', async (t) => {
  await dueHooks(2);
  t.equal((await claim(claimSql, 1)).length, 1);
});

test('a deleted webhook gets nothing, even if it is marked as active', async (t) => {
  await dueHooks(1);
  await pool.query('UPDATE webhook SET deleted_at = now()');
  t.match(await claim(), [{ active: false }]);
});

test('the pause ends with the next delivery that will be due, not with one that is', async (t) => {
  const hooks = await dueHooks(1);
  await addDue(hooks, { agoSeconds: -60 });
  t.ok((await pool.query(nextDueSql)).rows[0].ms > 0);
});

test('only the holder of its lease returns a delivery, and no other with it', async (t) => {
  await dueHooks(2);
  const [job, ...rest] = await claim();
  t.equal(rest[0]?.lease, job?.lease, 'all that are claimed at once have one lease');
  const released = async (lease = '') => (await pool.query(releaseSql, [job?.id, lease])).rowCount;
  t.equal(await released('of another replica'), 0);
  t.equal(await released(job?.lease), 1);
  t.same(
    (await claim()).map(({ id }) => id),
    [job?.id],
  );
});

test('what is pending is dropped by a thousand, and of one webhook only', async (t) => {
  const hooks = await addHooks(newId('principal'), 2);
  await addDue(hooks, { each: 1_002 });
  await pool.query('UPDATE webhook SET active = false');
  const [job] = await claim();
  const drop = async () => (await pool.query(dropSql, [job?.webhook_id, job?.lease])).rowCount;
  t.equal(await drop(), 1_000, 'a bound for the statement');
  t.equal(await drop(), 2, 'with what nobody has claimed');
  t.equal(await drop(), 0);
});

test('what another replica claims meanwhile is not dropped', async (t) => {
  const [hook = ''] = await dueHooks(1);
  await pool.query('UPDATE webhook SET active = false');
  const take = "UPDATE delivery SET lease = 'of another replica' WHERE webhook_id = $1";
  const other = await otherReplica(take, hook);
  t.equal((await pool.query(dropSql, [hook, 'lease'])).rowCount, 0);
  await ended(other, 'COMMIT');
});
