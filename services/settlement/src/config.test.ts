import { readFile } from 'node:fs/promises';
import { SettingsError, settingsTable } from '@countersign/runtime/settings';
import { test } from 'tap';
import { loadConfig, settings } from './config.js';

test('invalid chain settings are rejected at start', async (t) => {
  const env = {
    GRPC_PORT: '1',
    DATABASE_URL_LIVE: 'postgres://localhost/live',
    DATABASE_URL_SANDBOX: 'postgres://localhost/sandbox',
    LEDGER_ADDRESS: 'ledger:50051',
  };
  t.match(loadConfig(env), { chainsLive: [], chainsSandbox: [], chainPollMs: 4_000 });
  t.throws(() => loadConfig({ ...env, CHAINS_LIVE: '[{}]' }), SettingsError);
  t.throws(() => loadConfig({ ...env, CHAINS_LIVE: '{' }), SettingsError);
});

test('the README lists every setting', async (t) => {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  t.ok(readme.includes(settingsTable(settings)), settingsTable(settings));
});
