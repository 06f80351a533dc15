import { createLog } from '@countersign/runtime/log';
import { Metrics } from '@countersign/runtime/metrics';
import { until } from '@countersign/runtime/testing';
import { test } from 'tap';
import type { Chain } from './chain.js';
import { settlementMetrics } from './settlement-metrics.js';
import { leaseOpenSql, releaseLeasesSql } from './sql.js';
import { startWatcher, type WatcherOptions } from './watcher.js';

const log = createLog({ service: 'test', level: 'silent' });

/** A watcher of a chain and a database that answer like this. */
function watch(
  chain: Partial<Chain>,
  query: (sql: string, values: unknown[]) => Promise<{ rows: unknown[] }>,
) {
  const counted = settlementMetrics(new Metrics('test'));
  const assets = new Map([['USDC', { symbol: 'USDC', contract: '0xc', decimals: 6 }]]);
  const watcher = startWatcher({
    ...{ pool: { query }, pollMs: 1, environment: 'live', tracer: null, log },
    ...{ chain: { settings: { name: 'anvil', assets }, ...chain }, onSettled: () => {} },
    counted,
  } as unknown as WatcherOptions);
  return { watcher, counted };
}

test('a chain is sent no request while no settlement of it is due', async (t) => {
  let leased = 0;
  let asked = 0;
  const query = async () => {
    leased += 1;
    return { rows: [] };
  };
  const head = async () => {
    asked += 1;
    return 1n;
  };
  const { watcher } = watch({ head }, query);
  await until(() => leased > 5, { what: 'a few polls' });
  t.equal(asked, 0);
  await watcher.stop();
});

test('a watcher that stops begins no other check, and returns what it has leased', async (t) => {
  const due = { asset: 'USDC', authorizedValue: '1', settledElsewhere: '0', valueRaw: null };
  const at = new Date();
  const rows = Array.from({ length: 40 }, (_, n) => {
    return { ...due, id: `stl_${n}`, status: 'SUBMITTED', readAt: at, createdAt: at };
  });
  const released: unknown[] = [];
  const query = async (sql: string, [ids]: unknown[]) => {
    if (sql === leaseOpenSql) return { rows };
    if (sql === releaseLeasesSql) released.push(ids);
    return { rows: [] };
  };
  let asked = 0;
  let fail = (_: Error): void => {};
  const slow = new Promise<null>((_, reject) => {
    fail = reject;
  });
  const receipt = () => {
    asked += 1;
    return slow;
  };
  const { watcher, counted } = watch({ head: async () => 1n, receipt }, query);
  const begun = await until(() => asked, { what: 'the first checks' });
  const stopped = watcher.stop();
  fail(new Error('no answer in time'));
  await stopped;
  t.equal(asked, begun);
  t.same(released, [rows.map(({ id }) => id)]);
  const { values } = await counted.checks.get();
  t.match(values, [{ value: begun, labels: { status: 'UNKNOWN' } }], 'those count too');
});
