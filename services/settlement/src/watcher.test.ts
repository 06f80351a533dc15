import { createLog } from '@countersign/runtime/log';
import { Metrics } from '@countersign/runtime/metrics';
import { until } from '@countersign/runtime/testing';
import { test } from 'tap';
import type { Chain } from './chain.js';
import { settlementMetrics } from './settlement-metrics.js';
import { startWatcher, type WatcherOptions } from './watcher.js';

const log = createLog({ service: 'test', level: 'silent' });

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
  const watcher = startWatcher({
    ...{ pool: { query }, pollMs: 1, environment: 'live', tracer: null, log },
    ...{ chain: { settings: { name: 'anvil' }, head } as unknown as Chain, onSettled: () => {} },
    counted: settlementMetrics(new Metrics('test')),
  } as unknown as WatcherOptions);
  await until(() => leased > 5, { what: 'a few polls' });
  t.equal(asked, 0);
  await watcher.stop();
});
