import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { type Test, test } from 'tap';
import { serviceFolder } from './folders.js';
import { stampAfter } from './migration-new.js';
import { execute } from './migrations/connection.js';
import { diffToSchema, markRolledBack } from './migrations/engine.js';
import { migrate } from './migrations/migrate.js';
import { readMigrationFolder } from './migrations/migration-folder.js';
import { databasesOf, locateDatabases, serviceNames } from './services.js';
import { folderOf, newDatabase, serverUrl } from './test/migrations.js';

const table = `CREATE TABLE "thing" (
  "id" TEXT NOT NULL, "currency" CHAR(3) NOT NULL, "amount" DECIMAL(38,18) NOT NULL,
  CONSTRAINT "thing_pkey" PRIMARY KEY ("id"), CONSTRAINT "positive" CHECK ("amount" > 0));`;

/**
 * Contains semicolons in a function body: a script that is split at each of them cannot be applied.
 */
const guard = `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN RAISE EXCEPTION 'recorded; never changed'; RETURN NULL; END; $$;
  CREATE TRIGGER "thing_refuse" BEFORE UPDATE ON "thing" FOR EACH ROW EXECUTE FUNCTION refuse();`;

const schema = `datasource db {
  provider = "postgresql"
}
model Thing {
  id       String  @id
  currency String  @db.Char(3)
  amount   Decimal @db.Decimal(38, 18)
  @@map("thing")
}`;

function nameIn(url: string): string {
  return new URL(url).pathname.slice(1);
}

const two = { '20250101000000_things': table, '20250102000000_guard': guard };

test('a database that is set up in any way is migrated, and read again', async (t) => {
  const { url, query } = newDatabase(t);
  await execute(serverUrl, `CREATE DATABASE ${nameIn(url)}`);
  const sets = [
    `search_path = elsewhere`,
    `datestyle = 'SQL, DMY'`,
    `timezone = 'Asia/Kathmandu'`,
    `statement_timeout = '200ms'`,
    `idle_session_timeout = '200ms'`,
    `default_transaction_isolation = 'serializable'`,
  ];
  for (const set of sets) await execute(serverUrl, `ALTER DATABASE ${nameIn(url)} SET ${set}`);
  const slow = { '20250102000000_slow': 'SELECT pg_sleep(0.5);' };
  const folder = folderOf({ '20250101000000_things': table, ...slow });
  t.equal((await migrate({ url }, folder)).length, 2);
  t.same(await migrate({ url }, folder), [], 'a second run has nothing to do');
  t.same(await query(`SELECT to_regclass('public.thing') IS NOT NULL AS "isThere"`), [
    { isThere: true },
  ]);
});

test('a user who may not create tables is told to own the database', async (t) => {
  const { url } = newDatabase(t);
  const user = `stranger_${randomBytes(6).toString('hex')}`;
  await execute(serverUrl, `CREATE ROLE ${user} LOGIN PASSWORD 'x'`);
  t.teardown(() => execute(serverUrl, `DROP ROLE ${user}`));
  await execute(serverUrl, `CREATE DATABASE ${nameIn(url)}`);
  const theirs = new URL(url);
  theirs.username = user;
  theirs.password = 'x';
  await t.rejects(migrate({ url: theirs.href }, folderOf(two)), {
    message: /permission denied/,
    advice: /own the database \(ALTER DATABASE/,
  });
});

test('migrations apply in order to a database that is made for them, once', async (t) => {
  const { url, query } = newDatabase(t);
  const folder = folderOf(two);
  t.same(await migrate({ url }, folder), Object.keys(two));
  t.same(await migrate({ url }, folder), [], 'a second run has nothing to do');
  await query(`INSERT INTO "thing" VALUES ('a', 'USD', 1)`);
  await t.rejects(query(`UPDATE "thing" SET "amount" = 2`), /recorded; never changed/);
  const added = folderOf({ ...two, '20250103000000_more': 'CREATE TABLE "more" ("id" INT);' });
  t.same(await migrate({ url }, added), ['20250103000000_more'], 'only what is new applies');
});

test('the record is what prisma migrate deploy writes and reads', async (t) => {
  const { url, query } = newDatabase(t);
  const folder = folderOf(two);
  await migrate({ url }, folder);
  const columns = await query(`SELECT column_name, data_type FROM information_schema.columns
    WHERE table_schema = 'public' AND table_name = '_prisma_migrations' ORDER BY ordinal_position`);
  t.same(columns, [
    { column_name: 'id', data_type: 'character varying' },
    { column_name: 'checksum', data_type: 'character varying' },
    { column_name: 'finished_at', data_type: 'timestamp with time zone' },
    { column_name: 'migration_name', data_type: 'character varying' },
    { column_name: 'logs', data_type: 'text' },
    { column_name: 'rolled_back_at', data_type: 'timestamp with time zone' },
    { column_name: 'started_at', data_type: 'timestamp with time zone' },
    { column_name: 'applied_steps_count', data_type: 'integer' },
  ]);
  const rows = await query(`SELECT migration_name, checksum, applied_steps_count, logs,
    finished_at IS NOT NULL AS finished, rolled_back_at
    FROM _prisma_migrations ORDER BY started_at`);
  t.same(
    rows,
    folder.migrations.map(({ name, checksum }) => ({
      migration_name: name,
      checksum,
      applied_steps_count: 1,
      logs: null,
      finished: true,
      rolled_back_at: null,
    })),
  );
});

test('several runs at once apply each migration once', async (t) => {
  const { url, query } = newDatabase(t);
  const folder = folderOf(two);
  const runs = await Promise.all([1, 2, 3].map(() => migrate({ url }, folder)));
  t.same(runs.flat().sort(), Object.keys(two));
  t.same(await query('SELECT count(*)::int AS n FROM _prisma_migrations'), [{ n: 2 }]);
});

const gate = 1;
const pollMs = 20;
const late = '20250103000000_late';
const passing = {
  [late]: `SELECT pg_advisory_xact_lock(${gate}); CREATE TABLE "late" ("id" INT);`,
};
const killable = `
  const { migrate } = await import(process.argv[1]);
  const { readMigrationFolder } = await import(process.argv[2]);
  await migrate({ url: process.argv[3] }, readMigrationFolder(process.argv[4]));`;
const moduleOf = (name: string): string => new URL(`./migrations/${name}.js`, import.meta.url).href;

/** The process of PostgreSQL whose script waits at the gate. */
async function waiting(keeper: Client): Promise<number> {
  const sql = `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = ${gate}
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND NOT granted`;
  for (;;) {
    const { rows } = await keeper.query<{ pid: number }>(sql);
    if (rows[0]) return rows[0].pid;
    await pause(pollMs);
  }
}

async function waitingForLocks(keeper: Client): Promise<number> {
  const { rowCount } = await keeper.query(`SELECT FROM pg_locks WHERE locktype = 'advisory'
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND NOT granted`);
  return rowCount ?? 0;
}

/** A run that was killed in the middle of a script, which goes on in PostgreSQL until `open`. */
async function killedRun(t: Test) {
  const { url, query } = newDatabase(t);
  await migrate({ url }, folderOf(two));
  const folder = folderOf({ ...two, ...passing });
  const keeper = new Client({ connectionString: url });
  await keeper.connect();
  await keeper.query('SELECT pg_advisory_lock($1)', [gate]);
  const modules = [moduleOf('migrate'), moduleOf('migration-folder')];
  const args = ['--input-type=module', '--eval', killable, ...modules, url, folder.path];
  const run = spawn(process.execPath, args, { stdio: 'ignore' });
  const pid = await waiting(keeper);
  run.kill('SIGKILL');
  await once(run, 'exit');
  return { url, query, folder, pid, open: () => keeper.end() };
}

/** The deadlines of the engine for its lock end when `endAll` is called. */
function heldDeadlines(t: Test): { endAll: () => void } {
  const engineWaitMs = 10_000;
  const { setTimeout, clearTimeout } = globalThis;
  const held = new Map<unknown, () => void>();
  const later = (call: () => void, ms?: number) => {
    const timer = setTimeout(call, ms);
    if (ms === engineWaitMs) held.set(timer, call);
    return timer;
  };
  globalThis.setTimeout = Object.assign(later, setTimeout);
  globalThis.clearTimeout = (timer) => {
    held.delete(timer);
    clearTimeout(timer);
  };
  t.teardown(() => Object.assign(globalThis, { setTimeout, clearTimeout }));
  return {
    endAll: () => {
      for (const end of held.values()) end();
    },
  };
}

test('a run waits for another one longer than the engine does', async (t) => {
  const { url, query } = newDatabase(t);
  await migrate({ url }, folderOf(two));
  const folder = folderOf({ ...two, ...passing });
  const { endAll } = heldDeadlines(t);
  const keeper = new Client({ connectionString: url });
  await keeper.connect();
  await keeper.query('SELECT pg_advisory_lock($1)', [gate]);
  const runs = Promise.all([1, 2].map(() => migrate({ url }, folder)));
  // It is awaited below; a failure before that must not end the process.
  runs.catch(() => {});
  await waiting(keeper);
  while ((await waitingForLocks(keeper)) < 2) await pause(pollMs);
  endAll();
  await keeper.end();
  t.same((await runs).flat(), [late]);
  t.same(await query(`SELECT count(*)::int AS n FROM "late"`), [{ n: 0 }]);
});

test('a migration that PostgreSQL finished for a killed run is not applied again', async (t) => {
  const { url, query, folder, open } = await killedRun(t);
  const next = migrate({ url }, folder);
  await open();
  t.same(await next, []);
  t.same(await query(`SELECT count(*)::int AS n FROM "late"`), [{ n: 0 }], 'it is there');
  t.same(await migrate({ url }, folder), [], 'and on record');
});

test('a migration that a killed run left undone is applied by the next one', async (t) => {
  const { url, query, folder, pid, open } = await killedRun(t);
  await query(`SELECT pg_terminate_backend(${pid})`);
  await open();
  t.same(await migrate({ url }, folder), [late]);
  t.same(await query(`SELECT count(*)::int AS n FROM "late"`), [{ n: 0 }]);
});

test('a migration may take as long as it needs', async (t) => {
  const { url, query } = newDatabase(t);
  const sql = `CREATE TABLE "seen" AS SELECT current_setting('statement_timeout') AS "timeout";`;
  await migrate({ url }, folderOf({ '20250101000000_seen': sql }));
  t.same(await query('SELECT "timeout" FROM "seen"'), [{ timeout: '0' }]);
});

test('a migration that fails leaves nothing, says why, and can be corrected', async (t) => {
  const { url, query } = newDatabase(t);
  const bad = { '20250101000000_bad': `${table} INSERT INTO "thing" VALUES ('a', 'USD', -1);` };
  await t.rejects(migrate({ url }, folderOf(bad)), { message: /positive/ });
  t.same(await query(`SELECT to_regclass('"thing"') AS "table"`), [{ table: null }]);
  const good = folderOf({ '20250101000000_bad': table });
  await t.rejects(migrate({ url }, good), { message: /20250101000000_bad/ }, 'not unasked');
  await markRolledBack(url, '20250101000000_bad');
  t.same(await migrate({ url }, good), ['20250101000000_bad']);
});

test('a migration that was edited after it applied is refused on request', async (t) => {
  const { url } = newDatabase(t);
  await migrate({ url }, folderOf(two));
  const edited = folderOf({ ...two, '20250101000000_things': `${table} -- and more` });
  t.same(await migrate({ url }, edited), [], 'as Prisma does');
  await t.rejects(migrate({ url }, edited, { edited: 'refuse' }), {
    message: /20250101000000_things was changed/,
  });
});

test('a database with other migrations than these is refused as it is', async (t) => {
  const { url, query } = newDatabase(t);
  const former = { '20240101000000_former': 'CREATE TABLE former (id INT);' };
  await migrate({ url }, folderOf(former));
  const refusal = {
    message: /has other migrations than those of this version/,
    advice: /use a new database/,
  };
  await t.rejects(migrate({ url }, folderOf(two)), refusal);
  const names = 'SELECT migration_name AS name FROM _prisma_migrations';
  t.same(await query(names), [{ name: '20240101000000_former' }]);
  await migrate({ url }, folderOf({ ...former, ...two }));
  await t.rejects(migrate({ url }, folderOf(two)), refusal, 'also if it has these beside them');
});

test('the database of a later version is left to it', async (t) => {
  const { url } = newDatabase(t);
  const later = { '20250103000000_later': 'CREATE TABLE later (id INT);' };
  await migrate({ url }, folderOf({ ...two, ...later }));
  t.same(await migrate({ url }, folderOf(two)), []);
});

test('a server that is away is named without its password', async (t) => {
  const url = 'postgres://someone:secret@127.0.0.1:1/gone';
  const error = await migrate({ url }, folderOf(two)).catch((reason: Error) => reason);
  t.match(error, { message: /The database gone cannot be read/ });
  t.notMatch(String((error as Error).message), /secret/);
});

test('a server that goes away between two connections is to be asked again', async (t) => {
  const { url, query } = newDatabase(t);
  const folder = folderOf(two);
  await migrate({ url }, folderOf({ '20250101000000_things': table }));
  let left = 1;
  const { hostname, port } = new URL(url);
  const between = createServer((socket) => {
    if (left-- <= 0) return socket.destroy();
    socket.pipe(connect(Number(port), hostname)).pipe(socket);
  });
  await once(between.listen(0, '127.0.0.1'), 'listening');
  t.teardown(() => between.close());
  const passing = Object.assign(new URL(url), {
    host: `127.0.0.1:${(between.address() as AddressInfo).port}`,
  });
  const error = await migrate({ url: passing.href }, folder).catch((reason: Error) => reason);
  t.match(error, { advice: /was away, run this again/ });
  t.same(await query('SELECT count(*)::int AS n FROM _prisma_migrations'), [{ n: 1 }]);
  t.same(await migrate({ url }, folder), ['20250102000000_guard'], 'without being retried');
});

test('a new migration is what the schema says beyond the migrations', async (t) => {
  const name = `tools_shadow_${randomBytes(6).toString('hex')}`;
  const folder = folderOf(two);
  t.equal(await diffToSchema(folder, schema, { serverUrl, name }), '', 'they agree');
  const changed = schema.replace('@@map', 'note String?\n  @@map');
  const sql = await diffToSchema(folder, changed, { serverUrl, name });
  t.equal(sql.trim(), '-- AlterTable\nALTER TABLE "thing" ADD COLUMN     "note" TEXT;');
  const broken = folderOf({ ...two, '20250103000000_broken': 'CREATE TABLE "thing" ();' });
  await t.rejects(diffToSchema(broken, schema, { serverUrl, name }), /20250103000000_broken/);
  const left = new Client({ connectionString: serverUrl });
  await left.connect();
  const { rows } = await left.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
  await left.end();
  t.same(rows, [], 'the database it was replayed in is gone');
});

test('a new migration is dated now, or behind the last one if that is dated later', async (t) => {
  const names = (...list: string[]) => ({
    migrations: folderOf(Object.fromEntries(list.map((name) => [name, '']))).migrations,
  });
  const now = new Date('2025-03-04T05:06:07.890Z');
  t.equal(stampAfter(names(), now), '20250304050607');
  t.equal(stampAfter(names('20250304050606_before'), now), '20250304050607');
  const later = names('20250101000000_things', '20251231235959_later');
  t.equal(stampAfter(later, now), '20260101000000');
  for (const service of serviceNames) {
    const { migrations } = readMigrationFolder(join(serviceFolder(service), 'prisma/migrations'));
    const last = migrations.at(-1)?.name ?? '';
    t.ok(`${stampAfter({ migrations }, now)}_a` > last, `${service}: behind ${last}`);
  }
});

test('the migrations of every service make what its schema says', async (t) => {
  for (const service of serviceNames) {
    const prisma = join(serviceFolder(service), 'prisma');
    const content = readFileSync(join(prisma, 'schema.prisma'), 'utf8');
    const name = `tools_shadow_${randomBytes(6).toString('hex')}`;
    const folder = readMigrationFolder(join(prisma, 'migrations'));
    const missing = await diffToSchema(folder, content, { serverUrl, name });
    t.equal(missing, '', `${service}: npm run migration:new -- ${service} <name>`);
  }
});

test('every service compares texts byte by byte and vacuums what it sweeps', async (t) => {
  for (const service of serviceNames) {
    const { url, query } = newDatabase(t);
    await migrate({ url }, readMigrationFolder(join(serviceFolder(service), 'prisma/migrations')));
    const others = `SELECT table_name, column_name FROM information_schema.columns
      WHERE table_schema = 'public' AND table_name <> '_prisma_migrations'
        AND data_type = 'text' AND collation_name IS DISTINCT FROM 'C'`;
    t.same(await query(others), [], service);
    const late = `SELECT relname FROM pg_class
      WHERE relname IN ('inbox', 'outbox', 'agent_trace') AND relkind = 'r'
        AND 'autovacuum_vacuum_scale_factor=0.01' <> ALL (coalesce(reloptions, '{}'))`;
    t.same(await query(late), [], service);
  }
});

test('each service has a database an environment, under the documented names', async (t) => {
  t.same(
    databasesOf('ledger').map(({ name, variable }) => [name, variable]),
    [
      ['countersign_ledger_live', 'LEDGER_DATABASE_URL_LIVE'],
      ['countersign_ledger_sandbox', 'LEDGER_DATABASE_URL_SANDBOX'],
    ],
  );
  const env = { GATEWAY_DATABASE_URL: 'postgres://elsewhere/gateway' };
  const alone = locateDatabases(serviceNames, { env, serverUrl: null });
  t.same(
    alone.located.map(({ service, url }) => [service, url]),
    [['gateway', 'postgres://elsewhere/gateway']],
  );
  t.equal(alone.missing.length, 10);
  const all = locateDatabases(serviceNames, { env, serverUrl: 'postgres://u:p@h:1/postgres' });
  t.equal(all.located.length, 11);
  t.ok(all.located.some(({ url }) => url === 'postgres://u:p@h:1/countersign_ledger_live'));
});
