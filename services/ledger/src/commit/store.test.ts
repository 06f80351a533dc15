import type { Pool } from '@countersign/runtime/database';
import { createLog } from '@countersign/runtime/log';
import { test } from 'tap';
import { proposalAttributes } from './proposal-row.js';
import { CommitStore } from './store.js';

const log = createLog({ service: 'ledger', level: 'silent' });

function storeOn(query: () => Promise<{ rows: unknown[] }>): Promise<CommitStore> {
  return CommitStore.open({ query } as unknown as Pool, log);
}

test('the database is read although the first connection times out', async (t) => {
  const rows = [{ epoch: 'e', oid: 7, attributes: [...proposalAttributes] }];
  let asked = 0;
  const store = await storeOn(async () => {
    asked += 1;
    if (asked === 1) throw new Error('Connection terminated due to connection timeout');
    return { rows };
  });
  t.match(store.database, { epoch: 'e', type: { oid: 7, attributes: proposalAttributes.length } });
});

test('a type of another release is refused at once', async (t) => {
  let asked = 0;
  const other = storeOn(async () => {
    asked += 1;
    return { rows: [{ epoch: 'e', oid: 7, attributes: ['id'] }] };
  });
  await t.rejects(other, /does not match this build/);
  t.equal(asked, 1, 'asking again would not change it');
});

test('another database is noticed once, and nothing known of the former is kept', async (t) => {
  const rows = [{ epoch: 'one', oid: 7, attributes: [...proposalAttributes] }];
  const store = await storeOn(async () => ({ rows }));
  const { database } = store;
  t.notOk(await store.leadsElsewhere(database));
  t.equal(store.database, database);
  rows[0] = { epoch: 'two', oid: 8, attributes: [...proposalAttributes] };
  t.ok(await store.leadsElsewhere(database));
  t.match(store.database, { epoch: 'two', type: { oid: 8 } });
  t.not(store.database.bases, database.bases);
  const latest = store.database;
  t.ok(await store.leadsElsewhere(database), 'to whoever still has the former');
  t.equal(store.database, latest);
});

test('a lane that looked at the same time replaces nothing', async (t) => {
  const databaseOf = (epoch: string) => ({ epoch, oid: 7, attributes: [...proposalAttributes] });
  const reads: Array<(rows: unknown[]) => void> = [];
  const query = () => new Promise<{ rows: unknown[] }>((r) => reads.push((rows) => r({ rows })));
  const opening = storeOn(query);
  reads[0]?.([databaseOf('one')]);
  const store = await opening;
  const { database } = store;
  const looks = [store.leadsElsewhere(database), store.leadsElsewhere(database)];
  reads[1]?.([databaseOf('two')]);
  t.ok(await looks[0]);
  const latest = store.database;
  reads[2]?.([databaseOf('two')]);
  t.ok(await looks[1]);
  t.equal(store.database, latest);
});
