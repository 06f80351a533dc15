import { randomBytes } from 'node:crypto';
import { pathToFileURL } from 'node:url';
import { type Test, test } from 'tap';
import { createPool, type Pool } from '../database.js';
import { createLog } from '../log.js';
import { TransactionPooler } from '../test/transaction-pooler.js';
import { testUrl } from '../testing.js';
import { assertMigrated } from './migrations.js';
import { SharedSessionError } from './session.js';

const log = createLog({ service: 'session-test', level: 'silent' });

/** What a database or a role may be set up with, and what a session must have. */
const settings: Array<[name: string, there: string, wanted: string]> = [
  ['search_path', 'elsewhere', 'public'],
  ['default_transaction_isolation', 'repeatable read', 'read committed'],
  ['datestyle', 'SQL, DMY', 'ISO, MDY'],
  ['intervalstyle', 'sql_standard', 'postgres'],
  ['timezone', 'Asia/Kathmandu', 'UTC'],
  ['bytea_output', 'escape', 'hex'],
  ['extra_float_digits', '-15', '1'],
  ['standard_conforming_strings', 'off', 'on'],
  ['transform_null_equals', 'on', 'off'],
  ['synchronous_commit', 'off', 'on'],
  ['statement_timeout', '1h', '2s'],
  ['lock_timeout', '1h', '1s'],
  ['idle_in_transaction_session_timeout', '1s', '10s'],
  ['idle_session_timeout', '1s', '0'],
];
const since17: typeof settings = [['transaction_timeout', '1h', '0']];

/** A database with settings of its own, dropped at the end of the test. */
async function databaseWith(t: Test, sets: typeof settings): Promise<Pool> {
  const name = `session_${randomBytes(6).toString('hex')}`;
  const admin = createPool({ url: testUrl('postgres'), size: 1, log });
  await admin.query(`CREATE DATABASE ${name}`);
  for (const [setting, there] of sets) {
    await admin.query(`ALTER DATABASE ${name} SET ${setting} = '${there}'`);
  }
  const url = new URL(testUrl('postgres'));
  url.pathname = `/${name}`;
  const pool = createPool({ url: url.href, size: 2, log, statementTimeoutMs: 2_000 });
  t.teardown(async () => {
    await pool.end();
    await admin.query(`DROP DATABASE ${name}`);
    await admin.end();
  });
  return pool;
}

async function majorVersion(): Promise<number> {
  const pool = createPool({ url: testUrl('postgres'), size: 1, log });
  const { rows } = await pool.query(`SELECT current_setting('server_version_num')::int AS number`);
  await pool.end();
  return Math.floor(rows[0].number / 10_000);
}

test('a session has what statements rely on, whatever the database sets', async (t) => {
  const sets = (await majorVersion()) < 17 ? settings : [...settings, ...since17];
  const pool = await databaseWith(t, sets);
  for (const [name, , wanted] of sets) {
    const { rows } = await pool.query(`SELECT current_setting($1) AS value`, [name]);
    t.equal(rows[0].value, wanted, name);
  }
});

test('what a standby must have of a commit stays as the operator has set it', async (t) => {
  const chosen = 'remote_apply';
  const pool = await databaseWith(t, [['synchronous_commit', chosen, chosen]]);
  const { rows } = await pool.query('SHOW synchronous_commit');
  t.same(rows, [{ synchronous_commit: chosen }]);
});

test('a pooler by transaction is refused, and told no parameter it may not know', async (t) => {
  const pooler = await TransactionPooler.to(testUrl('postgres'));
  const pool = createPool({ url: pooler.url, size: 2, log });
  t.teardown(async () => {
    await pool.end();
    await pooler.close();
  });
  const none = pathToFileURL(`${t.testdir({})}/`);
  await t.rejects(assertMigrated(pool, none), SharedSessionError);
  t.same([...pooler.parameters].sort(), ['client_encoding', 'database', 'user']);
});

test('a login that acts as another role is no pooler', async (t) => {
  const admin = createPool({ url: testUrl('postgres'), size: 1, log });
  const [login, owner] = ['login', 'owner'].map(
    (name) => `${name}_${randomBytes(6).toString('hex')}`,
  );
  await admin.query(
    `CREATE ROLE ${owner}; CREATE ROLE ${login} LOGIN PASSWORD '${login}' IN ROLE ${owner}`,
  );
  await admin.query(`ALTER ROLE ${login} SET role = '${owner}'`);
  const url = new URL(testUrl('postgres'));
  url.username = login ?? '';
  url.password = login ?? '';
  const pool = createPool({ url: url.href, size: 2, log });
  t.teardown(async () => {
    await pool.end();
    await admin.query(`DROP ROLE ${login}, ${owner}`);
    await admin.end();
  });
  const { rows } = await pool.query('SELECT current_user AS role');
  t.same(rows, [{ role: owner }]);
  await assertMigrated(pool, pathToFileURL(`${t.testdir({})}/`));
});

test('a server is used by itself', async (t) => {
  const pool = createPool({ url: testUrl('postgres'), size: 2, log });
  t.teardown(() => pool.end());
  await assertMigrated(pool, pathToFileURL(`${t.testdir({})}/`));
  t.equal(pool.totalCount, 1, 'the second connection is for the comparison alone');
});
