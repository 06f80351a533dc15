import { readFile } from 'node:fs/promises';
import { SettingsError, settingsTable } from '@countersign/runtime/settings';
import { test } from 'tap';
import { loadConfig, settings } from './config.js';

test('one error lists all configuration problems', async (t) => {
  const env = {
    GRPC_PORT: '1',
    DATABASE_URL_LIVE: 'postgres://localhost/live',
    DATABASE_URL_SANDBOX: 'postgres://localhost/sandbox',
    NATS_URL: 'nats://localhost',
    IDENTITY_ADDRESS: 'identity:50051',
    SECRETS_KEY: Buffer.alloc(32).toString('base64'),
  };
  t.match(loadConfig(env), { webhookRetryBaseMs: 1_000, webhookTimeoutMs: 10_000 });
  t.throws(() => loadConfig({}), SettingsError);
  t.throws(() => loadConfig({ ...env, SECRETS_KEYS_PREVIOUS: 'abc' }), SettingsError);
  const wrong = { SMTP_URL: 'http://x', SMS_GATEWAY_URL: 'ftp://x' };
  try {
    loadConfig({ ...env, ...wrong, WEBHOOK_CONNECT_TIMEOUT_MS: '20000', CODES_PER_ADDRESS: '21' });
    t.fail('accepted');
  } catch (error) {
    t.equal((error as SettingsError).problems.length, 5);
  }
});

test('the README lists every setting', async (t) => {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  t.ok(readme.includes(settingsTable(settings)), settingsTable(settings));
});
