import { readFileSync } from 'node:fs';
import { SettingsError, settingsTable } from '@countersign/runtime/settings';
import { test } from 'tap';
import { loadConfig, settings } from './config.js';

const required = {
  GRPC_PORT: '50051',
  DATABASE_URL_LIVE: 'postgres://localhost/live',
  DATABASE_URL_SANDBOX: 'postgres://localhost/sandbox',
  NATS_URL: 'nats://localhost',
  LEDGER_ADDRESS: 'ledger:50051',
  BASE_URL: 'https://api.example.com/',
};

test('the README documents the settings that are read', async (t) => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  t.ok(readme.includes(settingsTable(settings)), `expected:\n${settingsTable(settings)}`);
});

test('trailing slashes are removed from URLs, as proofs must name one target', async (t) => {
  t.match(loadConfig(required), {
    baseUrl: 'https://api.example.com',
    verificationUrl: 'https://api.example.com/verification',
  });
  const own = loadConfig({ ...required, VERIFICATION_URL: 'https://idv.example.com/s/' });
  t.equal(own.verificationUrl, 'https://idv.example.com/s');
});

test('an invalid URL is rejected at start', async (t) => {
  for (const BASE_URL of ['', 'api.example.com', 'ftp://x', 'https://x/?a=1', 'https://x/#a']) {
    t.throws(() => loadConfig({ ...required, BASE_URL }), SettingsError, BASE_URL);
  }
  t.throws(() => loadConfig({ ...required, BASE_URL: 'x', VERIFICATION_URL: 'https://x/?a=1' }), {
    message: /BASE_URL must be an http\(s\) URL [\s\S]*VERIFICATION_URL must be an http\(s\) URL /,
  });
});
