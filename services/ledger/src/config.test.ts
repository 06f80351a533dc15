import { readFile } from 'node:fs/promises';
import { settingsTable } from '@countersign/runtime/settings';
import { test } from 'tap';
import { loadConfig, settings } from './config.js';

test('the README documents all settings', async (t) => {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  t.ok(readme.includes(settingsTable(settings)), settingsTable(settings));
});

test('a connection pool that is too small for the lanes is rejected at start', (t) => {
  const database = 'postgres://localhost/ledger';
  const urls = { DATABASE_URL_LIVE: database, DATABASE_URL_SANDBOX: database, NATS_URL: 'nats' };
  const env = { ...urls, GRPC_PORT: '1', SECRETS_KEY: Buffer.alloc(32).toString('base64') };
  t.throws(() => loadConfig({ ...env, DATABASE_POOL_SIZE: '5', COMMIT_LANES: '4' }), /at least 8/);
  t.ok(loadConfig(env).commitLanes >= 1);
  t.end();
});
