import { test } from 'tap';
import { createPool } from '../database.js';
import { createLog } from '../log.js';
import { Metrics } from '../metrics.js';
import { testUrl } from '../testing.js';
import { watchPools } from './pool-metrics.js';

const log = createLog({ service: 'pool-metrics-test', level: 'silent' });

test('a scrape shows how many connections are busy and how many calls wait for one', async (t) => {
  const pool = createPool({ url: testUrl('postgres'), size: 1, log });
  t.teardown(() => pool.end());
  const metrics = new Metrics('test');
  watchPools(metrics, [{ pool, environment: 'live', name: 'commits' }]);
  const client = await pool.connect();
  const second = pool.connect();
  t.strictSame(await values(metrics), { idle: 0, busy: 1, waiting: 1 });
  client.release();
  (await second).release();
  t.strictSame(await values(metrics), { idle: 1, busy: 0, waiting: 0 });
});

async function values({ registry }: Metrics): Promise<Record<string, number>> {
  const text = await registry.metrics();
  const labels = 'environment="live",pool="commits"';
  const connections = [...text.matchAll(/^countersign_database_connections\{(.*)\} (\d+)$/gm)];
  const waiting = text.match(/^countersign_database_waiting\{(.*)\} (\d+)$/m);
  const states = connections.map(([, found = '', value]) => {
    const [, state = ''] = found.match(new RegExp(`${labels},state="(\\w+)"`)) ?? [];
    return [state, Number(value)];
  });
  return { ...Object.fromEntries(states), waiting: Number(waiting?.[2]) };
}
