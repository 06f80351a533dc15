import { test } from 'tap';
import { migrate } from './migrations/migrate.js';
import { folderOf, newDatabase } from './test/migrations.js';

const former = {
  '20260101000000_things': 'CREATE TABLE thing (id INT, old INT);',
  '20260102000000_names': 'ALTER TABLE thing ADD COLUMN name TEXT;',
};
const present = {
  '20250201000000_things': 'CREATE TABLE thing (id INT, name TEXT);',
  '20250201000100_labels': 'CREATE TABLE label (id INT);',
};
const [things] = Object.keys(present);
const header = `-- from 20260102000000_names to ${things}\n`;
const adopting = folderOf(present, `${header}ALTER TABLE thing DROP COLUMN old;`);
const names = 'SELECT migration_name AS name FROM _prisma_migrations ORDER BY 1';
const namesOf = (migrations: object) => Object.keys(migrations).map((name) => ({ name }));

test('a database with the replaced migrations gets the present ones, with its rows', async (t) => {
  const { url, query } = newDatabase(t);
  await migrate({ url }, folderOf(former));
  await query(`INSERT INTO thing VALUES (1, 2, 'three')`);
  const runs = await Promise.all([1, 2, 3].map(() => migrate({ url }, adopting)));
  t.same(runs.flat().sort(), Object.keys(present), 'each once');
  t.same(await query('SELECT * FROM thing'), [{ id: 1, name: 'three' }]);
  t.same(await query('SELECT * FROM label'), [], 'what it did not make superfluous was applied');
  t.same(await query(names), namesOf({ ...present, ...former }));
  t.same(await migrate({ url }, adopting), [], 'a second run has nothing to do');
  t.same(await migrate({ url }, adopting, { edited: 'refuse' }), [], 'as if it had applied them');
  t.same(await migrate({ url }, folderOf(former)), [], 'the version before finds its own');
});

test('a database without the last of the replaced migrations is refused as it is', async (t) => {
  const { url, query } = newDatabase(t);
  const [first] = Object.entries(former);
  await migrate({ url }, folderOf(Object.fromEntries(first ? [first] : [])));
  await t.rejects(migrate({ url }, adopting), {
    message: /were replaced by fewer ones/,
    advice: /newest version that has 20260102000000_names/,
  });
  t.same(await query(names), namesOf(former).slice(0, 1));
});

test('where adopting fails, nothing of it is kept', async (t) => {
  const { url, query } = newDatabase(t);
  await migrate({ url }, folderOf(former));
  const failing = folderOf(present, `${header}ALTER TABLE thing DROP COLUMN old; SELECT 1 / 0;`);
  await t.rejects(migrate({ url }, failing), {
    message: /could not be brought to the present migrations:\ndivision by zero/,
    advice: /as it was.*run this again/,
  });
  await query('SELECT old FROM thing');
  t.same(await query(names), namesOf(former));
  t.same(await migrate({ url }, adopting), Object.keys(present), 'and it can be done again');
});

test("what Prisma's own command failed to apply before is no obstacle", async (t) => {
  const { url, query } = newDatabase(t);
  await migrate({ url }, folderOf(former));
  await query(`
    INSERT INTO _prisma_migrations (id, migration_name, checksum, logs)
    VALUES ('1', '${things}', '', 'relation "thing" already exists')`);
  t.same(await migrate({ url }, adopting), Object.keys(present));
  t.same(await migrate({ url }, adopting), []);
});

test('a new database is not adopted', async (t) => {
  const { url } = newDatabase(t);
  t.same(await migrate({ url }, adopting), Object.keys(present));
});

test('adopt.sql says between which migrations it leads', (t) => {
  t.throws(() => folderOf(present, 'SELECT 1;'), { message: /does not begin with "-- from/ });
  t.end();
});
