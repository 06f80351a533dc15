import { test } from 'tap';
import { createPool, inTransaction, type Pool } from './database.js';
import { createLog } from './log.js';
import { Wire } from './testing/wire.js';
import { testUrl, until } from './testing.js';

const log = createLog({ service: 'database-test', level: 'silent' });
const statementTimeoutMs = 100;

test('a connection whose other end is gone without a word is given up for another', async (t) => {
  const wire = await Wire.to(testUrl('postgres'));
  const pool = createPool({ url: wire.url, size: 1, log, statementTimeoutMs });
  t.teardown(async () => {
    wire.close();
    await pool.end();
  });
  /** A busy machine may take longer for the first answer of a connection than a statement may. */
  const answers = async () => (await pool.query('SELECT 1').catch(() => null))?.rowCount;
  t.equal(await until(answers), 1);
  wire.hold();
  await t.rejects(pool.query('SELECT 1'), /timeout/);
  t.equal(await until(answers), 1);
  await t.rejects(
    inTransaction(pool, async (client) => {
      wire.hold();
      await client.query('SELECT 1');
    }),
    /timeout/,
  );
  t.equal(await until(answers), 1);
});

test('a connection that is released inside a transaction is not used again', async (t) => {
  const wire = await Wire.to(testUrl('postgres'));
  const pool = createPool({ url: wire.url, size: 1, log, statementTimeoutMs });
  t.teardown(async () => {
    wire.close();
    await pool.end();
  });
  // Like Prisma after a timeout: the statement is not answered and no ROLLBACK is sent.
  const client = await pool.connect();
  await client.query('BEGIN');
  wire.hold();
  await t.rejects(client.query('SELECT 1'), /timeout/);
  await t.rejects(client.query('ROLLBACK'), /timeout/);
  client.release();
  wire.mend();
  const { rows } = await pool.query('SELECT now() = statement_timestamp() AS "isAlone"');
  t.same(rows, [{ isAlone: true }]);
});

test('a connection to a server that has become a standby is given up for another', async (t) => {
  const pool = createPool({ url: testUrl('postgres'), size: 1, log });
  t.teardown(() => pool.end());
  await pool.query('SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY');
  await t.rejects(
    inTransaction(pool, (client) => client.query('CREATE TABLE no_more ()')),
    {
      code: '25006',
    },
  );
  await inTransaction(pool, async (client) => {
    const { rows } = await client.query('SHOW transaction_read_only');
    t.same(rows, [{ transaction_read_only: 'off' }]);
  });
});

test('a connection with a statement from before a migration is given up for another', async (t) => {
  const [pool, migration] = [1, 2].map(() =>
    createPool({ url: testUrl('postgres'), size: 1, log }),
  ) as [Pool, Pool];
  await migration.query('CREATE TABLE outdated_plan (id text)');
  t.teardown(async () => {
    await pool.end();
    await migration.query('DROP TABLE outdated_plan');
    await migration.end();
  });
  const read = () =>
    inTransaction(pool, (client) =>
      client.query({ name: 'outdated_plan', text: 'SELECT id FROM outdated_plan' }),
    );
  await read();
  await migration.query('ALTER TABLE outdated_plan ALTER COLUMN id TYPE text COLLATE "POSIX"');
  await t.rejects(read(), { code: '0A000' });
  t.same((await read()).rows, []);
});
