import { createPool, inTransaction, type Pool } from '@countersign/runtime/database';
import { createLog } from '@countersign/runtime/log';
import { test } from 'tap';
import { findUnchained } from '../chain/unchained.js';
import { entriesPerPage, verifyLog } from '../chain/verify.js';
import { chainAll, makeLog, switchTriggersOff, verified } from './chained.js';
import { count, createWorld, type Ledger } from './fixture.js';

/** A pool that does something after each statement. */
function pausing(pool: Pool, after: (statements: number) => Promise<void>): Pool {
  let statements = 0;
  const query = async (sql: string, values?: unknown[]) => {
    const result = await pool.query(sql, values);
    statements += 1;
    await after(statements);
    return result;
  };
  return Object.assign(Object.create(pool), { query }) as Pool;
}

test('a verification holds no snapshot between its statements', async (t) => {
  const world = await createWorld(t);
  const ledger = await world.start();
  await makeLog(ledger);
  await chainAll(ledger);
  const log = createLog({ service: 'test', level: 'silent' });
  const walk = createPool({ url: world.urls.live, size: 1, log });
  t.teardown(() => walk.end());
  const { rows } = await walk.query('SELECT pg_backend_pid() AS pid');
  const states = new Set<string>();
  const observed = pausing(walk, async () => {
    const seen = await ledger.context.stores.live.pool.query(
      'SELECT state, backend_xmin FROM pg_stat_activity WHERE pid = $1',
      [rows[0].pid],
    );
    states.add(`${seen.rows[0].state}, ${seen.rows[0].backend_xmin}`);
  });
  t.match(await verifyLog(observed, 'live'), { entries: 11, bad: null });
  t.same([...states], ['idle, null'], 'so the server can vacuum');
});

test('what is recorded and chained during a verification is no fault of the log', async (t) => {
  const world = await createWorld(t);
  const ledger = await world.start();
  await makeLog(ledger);
  await chainAll(ledger);
  const { pool } = ledger.context.stores.live;
  const growing = pausing(pool, async (statements) => {
    await makeLog(ledger);
    if (statements % 2 === 0) await chainAll(ledger);
  });
  t.match(await verifyLog(growing, 'live'), { entries: 11, bad: null });
  await chainAll(ledger);
  const entries = await count(ledger, 'SELECT count(*) FROM chain_entry');
  t.match(await verified(ledger), { entries, bad: null, waiting: 0 });
});

test('an end that is cut off during a verification is missing', async (t) => {
  const world = await createWorld(t);
  const ledger = await world.start();
  await makeLog(ledger);
  await chainAll(ledger);
  const { pool } = ledger.context.stores.live;
  await inTransaction(pool, switchTriggersOff);
  const cut = pausing(pool, async (statements) => {
    if (statements === 1) await pool.query('DELETE FROM chain_entry');
  });
  const bad = { seq: '1', problem: 'the entries up to 11 were removed while the log was read' };
  t.match(await verifyLog(cut, 'live'), { entries: 0, bad });
});

test('a second entry with the number of the last of a page is found', async (t) => {
  const world = await createWorld(t);
  const ledger = await world.start();
  const [request] = await makeLog(ledger);
  await ledger.context.stores.live.pool.query(
    `INSERT INTO reference (authorization_id, kind, principal_id, value)
     SELECT $1, 'kind-' || n, 'prn', 'x' FROM generate_series(1, $2::int) n`,
    [request?.authorizationId, entriesPerPage],
  );
  await chainAll(ledger);
  const bad = await inTransaction(ledger.context.stores.live.pool, async (client) => {
    await client.query(
      'ALTER TABLE chain_entry DROP CONSTRAINT chain_entry_pkey; DROP INDEX chain_entry_once',
    );
    await client.query('INSERT INTO chain_entry SELECT * FROM chain_entry WHERE seq = $1', [
      entriesPerPage,
    ]);
    const found = await verifyLog(client, 'live');
    await client.query('ROLLBACK; BEGIN');
    return found.bad;
  });
  t.match(bad, { seq: String(entriesPerPage), kind: 'reference', problem: /another/ });
});

test('a row without an entry is found on whichever page it is', async (t) => {
  const world = await createWorld(t);
  const ledger = await world.start();
  const [request] = await makeLog(ledger);
  const { pool } = ledger.context.stores.live;
  const txids = await addReferences(ledger, request?.authorizationId ?? '');
  await chainAll(ledger);
  const ends = await pool.query(
    `SELECT (SELECT max(txid::text::bigint)::text FROM chain_entry) AS "lastTxid",
       pg_snapshot_xmax(pg_current_snapshot())::text AS "nextTxid"`,
  );
  for (const rowsAtOnce of [1, 2, 3, 100]) {
    t.equal(await findUnchained(pool, ends.rows[0], rowsAtOnce), null);
    for (const txid of ['0', ...txids]) {
      const bad = await inTransaction(pool, async (client) => {
        await client.query(
          `INSERT INTO reference (authorization_id, kind, principal_id, value, txid)
           VALUES ($1, 'slipped', 'prn', 'x', $2)`,
          [request?.authorizationId, txid],
        );
        const found = await findUnchained(client, ends.rows[0], rowsAtOnce);
        await client.query('ROLLBACK; BEGIN');
        return found;
      });
      t.match(bad, { kind: 'reference', ref: /slipped$/, problem: /no entry/ }, `${rowsAtOnce}`);
    }
  }
});

/** Of several transactions, after which there is another. Returns these. */
async function addReferences(ledger: Ledger, authorizationId: string): Promise<string[]> {
  const txids: string[] = [];
  for (const kind of ['a', 'b', 'c', 'd', 'e', 'f']) {
    const { rows } = await ledger.context.stores.live.pool.query(
      `INSERT INTO reference (authorization_id, kind, principal_id, value)
       VALUES ($1, $2, 'prn', 'x') RETURNING txid::text`,
      [authorizationId, kind],
    );
    txids.push(rows[0].txid);
  }
  return txids.slice(0, -1);
}
