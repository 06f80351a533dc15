import { readFileSync } from 'node:fs';
import { settingsTable } from '@countersign/runtime/settings';
import { test } from 'tap';
import { loadConfig, settings } from './config.js';

const required = {
  DATABASE_URL: 'postgres://localhost/gateway',
  REDIS_URL: 'redis://localhost',
  IDENTITY_ADDRESS: 'identity:1',
  DECISION_ADDRESS: 'decision:1',
  LEDGER_ADDRESS: 'ledger:1',
  NOTIFIER_ADDRESS: 'notifier:1',
  SETTLEMENT_ADDRESS: 'settlement:1',
  SECRETS_KEY: Buffer.alloc(32).toString('base64'),
};

test('the README lists every environment variable as it is read', (t) => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  t.ok(readme.includes(settingsTable(settings)), settingsTable(settings));
  t.end();
});

test('the defaults are those that are documented', (t) => {
  t.match(loadConfig(required), {
    port: 8080,
    internalPort: 8081,
    adminKey: null,
    oauthEnvironments: ['live', 'sandbox'],
    trustedProxies: [],
    rateLimitMultiplier: 1,
    console: 'off',
  });
  t.equal(loadConfig({ ...required, BASE_URL: 'https://x.test/' }).baseUrl, 'https://x.test');
  t.end();
});

test('everything that is wrong is said at once', (t) => {
  t.throws(() => loadConfig({}), {
    message: /DATABASE_URL is required[\s\S]*SECRETS_KEY is required/,
  });
  const wrong = {
    ...required,
    BASE_URL: 'somewhere',
    TRUSTED_PROXIES: '10.0.0.0/8,proxy',
    OAUTH_ENVIRONMENTS: 'moon',
    ACCESS_LOG: 'maybe',
    CONSOLE: 'perhaps',
  };
  t.throws(() => loadConfig(wrong), {
    message: [
      'configuration:',
      '  - BASE_URL must be a URL',
      '  - TRUSTED_PROXIES: proxy is not a CIDR',
      '  - OAUTH_ENVIRONMENTS: moon is not an environment',
      '  - ACCESS_LOG must be on or off',
      '  - CONSOLE must be on or off',
    ].join('\n'),
  });
  t.end();
});
