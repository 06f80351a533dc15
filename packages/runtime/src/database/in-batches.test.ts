import { type Test, test } from 'tap';
import { createPool, type Pool } from '../database.js';
import { createLog } from '../log.js';
import { testUrl } from '../testing.js';
import { inBatches } from './in-batches.js';

const log = createLog({ service: 'test', level: 'silent' });

/** A pool of one connection, so that its temporary table is always available. */
async function poolWithPast(t: Test, rows: number): Promise<Pool> {
  const pool = createPool({ url: testUrl('postgres'), size: 1, log });
  t.teardown(() => pool.end());
  await pool.query('CREATE TEMP TABLE past (n int PRIMARY KEY)');
  await pool.query('INSERT INTO past SELECT generate_series(1, $1::int)', [rows]);
  return pool;
}

const oldest = `DELETE FROM past WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM past WHERE n <= $2::int ORDER BY n LIMIT $1))`;

test('a pass ends with its time; the next one goes on until nothing is left', async (t) => {
  const pool = await poolWithPast(t, 3_500);
  const values = [3_200];
  t.equal(await inBatches(pool, oldest, { values, longestMs: 0 }), 1_000);
  t.equal(await inBatches(pool, oldest, { values }), 2_200);
  t.equal(await inBatches(pool, oldest, { values }), 0);
  const { rows } = await pool.query('SELECT min(n) AS first FROM past');
  t.same(rows, [{ first: 3_201 }]);
});

test('a pass keeps up with more than a hundred thousand rows', async (t) => {
  const pool = await poolWithPast(t, 101_500);
  t.equal(await inBatches(pool, oldest, { values: [101_500] }), 101_500);
});

test('nothing more is begun once it is to end', async (t) => {
  const pool = await poolWithPast(t, 3_500);
  const ending = new AbortController();
  pool.once('acquire', () => ending.abort());
  const { signal } = ending;
  t.equal(await inBatches(pool, oldest, { values: [3_500], signal }), 1_000);
  t.equal(await inBatches(pool, oldest, { values: [3_500], signal }), 0);
});

test('an end is not kept waiting by the pause after a long statement', async (t) => {
  const ending = new AbortController();
  let now = 0;
  t.intercept(performance, 'now', { value: () => now });
  const query = async () => {
    now += 3_600_000;
    // By then the pause has begun.
    setImmediate(() => ending.abort());
    return { rowCount: 1 };
  };
  const pool = { query } as unknown as Pool;
  const { signal } = ending;
  t.equal(await inBatches(pool, oldest, { signal, longestMs: 7_200_000 }), 1);
});
