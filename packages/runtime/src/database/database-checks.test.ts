import { test } from 'tap';
import { createPool } from '../database.js';
import { startHealthServer } from '../health.js';
import { Lifecycle } from '../lifecycle.js';
import { createLog } from '../log.js';
import { Metrics } from '../metrics.js';
import { testUrl } from '../testing.js';
import { databaseChecks } from './database-checks.js';

const log = createLog({ service: 'test', level: 'silent' });

test('live must answer, and what is away of sandbox takes nothing of live along', async (t) => {
  const there = createPool({ url: testUrl('postgres'), size: 1, log });
  const away = createPool({ url: 'postgres://nobody@127.0.0.1:1/none', size: 1, log });
  const found: unknown[] = [];
  for (const [live, sandbox] of [
    [there, there],
    [there, away],
    [away, there],
  ] as const) {
    const checks = databaseChecks({ live: { pool: live }, sandbox: { pool: sandbox } });
    const lifecycle = new Lifecycle(log);
    const parts = { host: null, port: 0, lifecycle, metrics: new Metrics('test') };
    const port = await startHealthServer({ ...parts, ...checks });
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`);
    found.push([answer.status, await answer.json()]);
    await lifecycle.shutdown();
  }
  await Promise.all([there.end(), away.end()]);
  t.strictSame(found, [
    [200, { status: 'ok', checks: { database_live: 'ok', database_sandbox: 'ok' } }],
    [200, { status: 'degraded', checks: { database_live: 'ok', database_sandbox: 'unavailable' } }],
    [503, { status: 'down', checks: { database_live: 'unavailable', database_sandbox: 'ok' } }],
  ]);
});
