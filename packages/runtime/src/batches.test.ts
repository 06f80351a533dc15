import { test } from 'tap';
import { inBatches } from './batches.js';
import { createPool } from './database.js';
import { createLog } from './log.js';
import { testUrl } from './testing.js';

const log = createLog({ service: 'test', level: 'silent' });

test('so many batches and no more; the next pass goes on where it ended', async (t) => {
  const pool = createPool({ url: testUrl('postgres'), size: 1, log });
  t.teardown(() => pool.end());
  await pool.query('CREATE TEMP TABLE past (n int)');
  await pool.query('INSERT INTO past SELECT generate_series(1, 3500)');
  const oldest = `DELETE FROM past WHERE n IN (
    SELECT n FROM past WHERE n <= $2::int ORDER BY n LIMIT $1)`;
  const values = [3_200];
  t.equal(await inBatches(pool, oldest, { values, atMost: 2 }), 2_000);
  t.equal(await inBatches(pool, oldest, { values }), 1_200);
  t.equal(await inBatches(pool, oldest, { values }), 0);
  const { rows } = await pool.query('SELECT min(n) AS first FROM past');
  t.same(rows, [{ first: 3_201 }]);
});
