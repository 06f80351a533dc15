import { openTestPool } from '@countersign/runtime/testing/pool';
import root, { test } from 'tap';
import { giveAllowanceBack } from './allowance.js';
import {
  armCodeSql,
  claimCodesSql,
  finishCodeSql,
  forgetCodeSql,
  nextCodeSql,
  readCodeSql,
  retryCodeSql,
  takeForAddressSql,
  takeForClientSql,
} from './sql.js';

const pool = await openTestPool(root, 'notifier');

/** Codes of one owner that are due in so many seconds. */
async function addCodes(codes: Record<string, number>): Promise<void> {
  await pool.query('DELETE FROM one_time_code');
  await pool.query(
    `INSERT INTO one_time_code (authorization_id, client_id, principal_id, amount, currency,
       expires_at, next_attempt_at)
     SELECT id, 'cli_1', 'prn_1', '1', 'USD', now() + interval '1 hour',
       now() + seconds * interval '1 second'
     FROM unnest($1::text[], $2::int[]) c (id, seconds)`,
    [Object.keys(codes), Object.values(codes)],
  );
}

async function claim(most: number): Promise<string[]> {
  const { rows } = await pool.query(claimCodesSql, [most, 'lease', 60_000]);
  return rows.map((row) => row.authorization_id).sort();
}

test('codes due longest are claimed, without waiting for those of another replica', async (t) => {
  // Reading by the index would give their order even to a statement that asks for none.
  await pool.query('DROP INDEX one_time_code_due_idx');
  await addCodes({ later: 3_600, c: -1, b: -2, a: -3 });
  const other = await pool.connect();
  await other.query(`BEGIN; SELECT FROM one_time_code WHERE authorization_id = 'a' FOR UPDATE`);
  t.same(await claim(1), ['b']);
  await other.query('ROLLBACK');
  other.release();
  t.same(await claim(1), ['a']);
  t.same(await claim(9), ['c'], 'neither what is leased nor what is not due');
});

test('the pause ends with the next code that will be due, not with one that is', async (t) => {
  await addCodes({ due: -60, later: 60 });
  const { rows } = await pool.query(nextCodeSql);
  t.ok(rows[0].ms > 0);
});

test('an attempt changes the code it holds the lease of, and no other', async (t) => {
  const ends: Array<[sql: string, ...last: unknown[]]> = [
    [armCodeSql, 'email', Buffer.alloc(32)],
    [retryCodeSql, 1],
    [finishCodeSql, 'SENT'],
  ];
  for (const [sql, ...last] of ends) {
    await addCodes({ a: -1, b: -1 });
    t.equal((await claim(2)).length, 2, 'all that are claimed at once have one lease');
    const changed = async (id: string, lease: string) =>
      (await pool.query(sql, [id, lease, ...last])).rowCount;
    t.equal(await changed('a', 'of another replica'), 0, sql);
    t.equal(await changed('a', 'lease'), 1, sql);
  }
});

test('a code that could not be sent is due after the given pause', async (t) => {
  await addCodes({ a: -1 });
  await claim(1);
  const client = await pool.connect();
  await client.query('BEGIN');
  await client.query(retryCodeSql, ['a', 'lease', 1_500]);
  const { rows } = await client.query(
    'SELECT extract(epoch FROM next_attempt_at - now())::float8 AS s FROM one_time_code',
  );
  await client.query('ROLLBACK');
  client.release();
  t.ok(Math.abs(rows[0].s - 1.5) < 0.01, `${rows[0].s} s`);
});

test('a challenge that ends takes its code from whoever is about to send it', async (t) => {
  await addCodes({ a: -1 });
  await claim(1);
  await pool.query(forgetCodeSql, ['a', 'cli_1', 'prn_1', '1', 'USD']);
  const armed = await pool.query(armCodeSql, ['a', 'lease', 'email', Buffer.alloc(32)]);
  t.equal(armed.rowCount, 0);
  const { rows } = await pool.query('SELECT status, next_attempt_at FROM one_time_code');
  t.same(rows, [{ status: 'FAILED', next_attempt_at: null }], 'nor is it due again');
});

test('a code is read for its challenge, Client and Principal only', async (t) => {
  await addCodes({ a: 1 });
  const found = async (...of: string[]) => (await pool.query(readCodeSql, of)).rowCount;
  t.equal(await found('a', 'cli_1', 'prn_1'), 1);
  t.equal(await found('b', 'cli_1', 'prn_1'), 0);
  t.equal(await found('a', 'cli_2', 'prn_1'), 0);
  t.equal(await found('a', 'cli_1', 'prn_2'), 0);
});

test('what was not sent is uncounted once, and only where it was counted', async (t) => {
  const [at, before] = [new Date('2026-11-21T09:30:00Z'), new Date('2026-11-21T08:00:00Z')];
  await pool.query(`INSERT INTO code_client SELECT unnest('{cli_1,cli_2}'::text[]), $1, 2`, [at]);
  await pool.query(
    `INSERT INTO code_address
     SELECT unnest(ARRAY['\\x01', '\\x02']::bytea[]), ARRAY[$1, $1]::timestamptz[], $1`,
    [at],
  );
  const address = Buffer.from([1]);
  await giveAllowanceBack(pool, { clientId: 'cli_1', since: at, address, at });
  await giveAllowanceBack(pool, { clientId: 'cli_1', since: before, address, at: before });
  const { rows } = await pool.query(
    `SELECT client_id AS of, sent FROM code_client
     UNION ALL SELECT encode(address, 'hex'), cardinality(sent_at) FROM code_address ORDER BY 1`,
  );
  t.same(
    rows.map(({ of, sent }) => `${of} ${sent}`),
    ['01 1', '02 2', 'cli_1 1', 'cli_2 2'],
    'nor is what was counted in another hour',
  );
});

test('the hour of a Client begins with its first code, whatever is sent in it', async (t) => {
  const take = async () => (await pool.query(takeForClientSql, ['cli_hour', 9])).rows[0]?.value;
  await take();
  const { rows } = await pool.query(
    `UPDATE code_client SET since = since - interval '50 minutes'
     WHERE client_id = 'cli_hour' RETURNING since`,
  );
  t.same(await take(), rows[0]?.since);
});

test('of an address the codes of a day are kept, and it is for a day from the last', async (t) => {
  const address = Buffer.from([3]);
  const take = () => pool.query(takeForAddressSql, [address, 5, 20]);
  for (const time of ['2 hours', '23 hours', '0 hours']) {
    await take();
    await pool.query(
      `UPDATE code_address SET last_at = last_at - $2::interval,
         sent_at = ARRAY(SELECT s - $2::interval FROM unnest(sent_at) s ORDER BY s)
       WHERE address = $1`,
      [address, time],
    );
  }
  const { rows } = await pool.query(
    `SELECT cardinality(sent_at) AS codes, last_at = sent_at[cardinality(sent_at)] AS is_last
     FROM code_address WHERE address = $1`,
    [address],
  );
  t.same(rows, [{ codes: 2, is_last: true }]);
});
