import { newId } from '@countersign/kernel/id';
import { Metrics } from '@countersign/runtime/metrics';
import { openTestPool } from '@countersign/runtime/testing/pool';
import t, { test } from 'tap';
import type { Chain } from '../chain.js';
import { readHeads } from '../check.js';
import { settlementMetrics } from '../settlement-metrics.js';
import {
  leaseOpenSql,
  leaseOutcomesSql,
  outcomeRecordedSql,
  releaseLeasesSql,
  releaseOutcomesSql,
} from '../sql.js';

const pool = await openTestPool(t, 'settlement');

interface Inserted {
  chain: string;
  authorizationId?: string;
  /** Base units of a settled transfer, and how many hours ago it settled. */
  settled?: [raw: number, hoursAgo: number];
  /** Whether a node has known the transaction. */
  isSeen?: boolean;
}

async function insert({ chain, authorizationId, settled, isSeen }: Inserted): Promise<string> {
  const id = newId('settlement');
  const [raw = null, hoursAgo = null] = settled ?? [];
  // Due since a second ago: what is rounded to milliseconds can be due only in the next one.
  await pool.query(
    `INSERT INTO settlement (id, authorization_id, client_id, principal_id, chain, tx_hash, asset,
       counterparty, authorized_value, currency, required_confirmations, next_check_at, outcome_id,
       created_at, status, settled_at, transferred_raw, outcome_due, last_seen_at)
     VALUES ($1, $2, 'cli_1', 'prn_1', $3, $1, 'USDC', '0x5', 10, 'USD', 3,
       now() - interval '1 s', $1,
       now() - interval '1 day', CASE WHEN $4::numeric IS NULL THEN 'SUBMITTED' ELSE 'SETTLED' END,
       now() - $5::int * interval '1 hour', $4::numeric, $4::numeric IS NOT NULL,
       CASE WHEN $6::boolean THEN now() END)`,
    [id, authorizationId ?? id, chain, raw, hoursAgo, isSeen ?? false],
  );
  return id;
}

test('a chain is asked for its own settlements alone', async (t) => {
  const own = await insert({ chain: 'one-local' });
  await insert({ chain: 'other-local' });
  const { rows } = await pool.query(leaseOpenSql, ['one-local', 10, 30_000]);
  t.same(
    rows.map(({ id }) => id),
    [own],
  );
});

test('what a replica has leased is due to no other until its lease ends', async (t) => {
  const open = await insert({ chain: 'due-local' });
  const settled = await insert({ chain: 'due-local', settled: [1, 1] });
  const lease = async () => {
    const settlements = await pool.query(leaseOpenSql, ['due-local', 10, 60_000]);
    const outcomes = await pool.query(leaseOutcomesSql, [10, 60_000]);
    return [...settlements.rows, ...outcomes.rows].map(({ id }) => id);
  };
  t.same(await lease(), [open, settled]);
  t.same(await lease(), []);
  await pool.query(`UPDATE settlement SET next_check_at = now() WHERE chain = 'due-local'`);
  t.same(await lease(), [open, settled]);
});

test('a lease that another replica has taken is not released', async (t) => {
  const id = await insert({ chain: 'leased-local' });
  const { rows } = await pool.query(leaseOpenSql, ['leased-local', 10, 30_000]);
  const release = () => pool.query(releaseLeasesSql, [[id], [rows[0]?.lease], [0]]);
  const renew = `UPDATE settlement SET next_check_at = next_check_at + interval '1 minute'
    WHERE id = $1`;
  await pool.query(renew, [id]);
  t.equal((await release()).rowCount, 0);
  await pool.query('UPDATE settlement SET next_check_at = $2 WHERE id = $1', [id, rows[0]?.lease]);
  t.equal((await release()).rowCount, 1);
});

/** Leases one as two replicas do at once; the first has not committed when the second asks. */
async function leaseAtOnce(sql: string, of: readonly string[]): Promise<unknown[]> {
  const [one, other] = [await pool.connect(), await pool.connect()];
  const lease = async (replica: typeof one) => {
    await replica.query('BEGIN');
    // Whoever waited for the other would do so for good.
    await replica.query(`SET LOCAL lock_timeout = '1s'`);
    const { rows } = await replica.query(sql, [...of, 1, 60_000]);
    return rows.map(({ id }) => id);
  };
  try {
    return [await lease(one), await lease(other)];
  } finally {
    for (const replica of [one, other]) {
      await replica.query('ROLLBACK');
      replica.release();
    }
  }
}

test('replicas lease different ones at once, first what is due for longest', async (t) => {
  const chain = 'many-local';
  const dueForLonger = `UPDATE settlement SET next_check_at = now() - interval '1 hour'
    WHERE id = $1`;
  const [open, first] = [await insert({ chain }), await insert({ chain })];
  await pool.query(dueForLonger, [first]);
  t.same(await leaseAtOnce(leaseOpenSql, [chain]), [[first], [open]]);
  const settled = await insert({ chain, settled: [1, 1] });
  const firstSettled = await insert({ chain, settled: [1, 1] });
  await pool.query(dueForLonger, [firstSettled]);
  t.same(await leaseAtOnce(leaseOutcomesSql, []), [[firstSettled], [settled]]);
  await pool.query('UPDATE settlement SET outcome_due = false');
});

test('many unknown transactions do not keep known ones from being checked', async (t) => {
  const chain = 'flooded-local';
  const known: string[] = [];
  for (let nth = 0; nth < 8; nth += 1) await insert({ chain });
  for (let nth = 0; nth < 8; nth += 1) known.push(await insert({ chain, isSeen: true }));
  await pool.query(`UPDATE settlement SET next_check_at = now() - interval '1 hour'
    WHERE chain = 'flooded-local' AND last_seen_at IS NULL`);
  const lease = async () => {
    const { rows } = await pool.query(leaseOpenSql, [chain, 8, 60_000]);
    return { all: rows.length, known: rows.filter(({ id }) => known.includes(id)).length };
  };
  t.same(await lease(), { all: 8, known: 6 }, 'nor are these kept from it');
  t.same(await lease(), { all: 8, known: 2 });
});

test('an outcome that the ledger has is sent no more, and each other one is', async (t) => {
  const recorded = await insert({ chain: 'one-local', settled: [1, 1] });
  const other = await insert({ chain: 'one-local', settled: [1, 1] });
  await pool.query(outcomeRecordedSql, [recorded]);
  const { rows } = await pool.query(leaseOutcomesSql, [10, 60_000]);
  t.same(
    rows.map(({ id }) => id),
    [other],
  );
});

test('an outcome that always fails is tried again within minutes, however old it is', async (t) => {
  const id = await insert({ chain: 'one-local', settled: [1, 1_000] });
  await pool.query(releaseOutcomesSql, [id, []]);
  const sql = `SELECT next_check_at > now() AS later,
    next_check_at <= now() + interval '10 minutes' AS soon FROM settlement WHERE id = $1`;
  t.same((await pool.query(sql, [id])).rows, [{ later: true, soon: true }]);
});

test('each outcome has the total that had settled by its own time', async (t) => {
  const authorizationId = newId('authorization');
  const transfer = { chain: 'one-local', authorizationId };
  const first = await insert({ ...transfer, settled: [4_000_000, 3] });
  const last = await insert({ ...transfer, settled: [1_000_000, 1] });
  const second = await insert({ ...transfer, settled: [5_000_000, 2] });
  await insert({ chain: 'one-local', settled: [7_000_000, 4] });
  await insert(transfer);
  const { rows } = await pool.query(leaseOutcomesSql, [10, 15_000]);
  const totals = new Map(rows.map(({ id, settledRaw }) => [id, settledRaw]));
  t.same(
    [first, second, last].map((id) => totals.get(id)),
    ['4000000', '9000000', '10000000'],
  );
});

test('a node that lags behind does not lower the highest head, a new chain does', async (t) => {
  const parts = { pool, counted: settlementMetrics(new Metrics('test')) };
  const headsAt = async (head: bigint) => {
    const chain = { settings: { name: 'heads-local' }, head: async () => head };
    return (await readHeads(chain as unknown as Chain, parts)).highest;
  };
  const advancedAgo = (minutes: number) =>
    pool.query(
      `UPDATE chain_cursor SET advanced_at = now() - $1::int * interval '1 minute'
       WHERE chain = 'heads-local'`,
      [minutes],
    );
  t.equal(await headsAt(102n), 102n);
  t.equal(await headsAt(100n), 102n);
  await advancedAgo(9);
  t.equal(await headsAt(100n), 102n);
  t.equal(await headsAt(103n), 103n);
  const advanced = `SELECT advanced_at > now() - interval '5 minutes' AS lately FROM chain_cursor
    WHERE chain = 'heads-local'`;
  t.same((await pool.query(advanced)).rows, [{ lately: true }], 'it has advanced');
  await advancedAgo(9);
  await headsAt(101n);
  t.same((await pool.query(advanced)).rows, [{ lately: false }], 'it has not');
  await advancedAgo(11);
  t.equal(await headsAt(100n), 100n, 'nothing for ten minutes: the chain began anew');
});
