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

test('all that cannot be read is said at once, and then all that cannot be used', (t) => {
  t.throws(() => loadConfig({}), {
    message: /DATABASE_URL is required[\s\S]*SECRETS_KEY is required/,
  });
  t.throws(() => loadConfig({ ...required, ACCESS_LOG: 'maybe', CONSOLE: 'perhaps' }), {
    message: [
      'configuration:',
      '  - ACCESS_LOG must be one of on, off',
      '  - CONSOLE must be one of on, off',
    ].join('\n'),
  });
  const wrong = { TRUSTED_PROXIES: '10.0.0.0/8,proxy', OAUTH_ENVIRONMENTS: 'moon' };
  t.throws(() => loadConfig({ ...required, ...wrong }), {
    message: [
      'configuration:',
      '  - TRUSTED_PROXIES: proxy is not a CIDR',
      '  - OAUTH_ENVIRONMENTS: moon is not an environment',
    ].join('\n'),
  });
  t.end();
});

test('a base URL that the other services would refuse is refused here too', (t) => {
  for (const BASE_URL of [
    'somewhere',
    'api.example.com:8443',
    'ftp://x.test',
    'https://x.test/?a',
  ]) {
    const message = /BASE_URL must be an http\(s\) URL without query and fragment/;
    t.throws(() => loadConfig({ ...required, BASE_URL }), { message }, BASE_URL);
  }
  t.end();
});

test('what cannot be the address of a server or service is refused at start', (t) => {
  const wrong = { DATABASE_URL: 'gateway', REDIS_URL: 'http://redis', LEDGER_ADDRESS: 'ledger' };
  t.throws(() => loadConfig({ ...required, ...wrong, LOG_LEVEL: 'loud', NAMESPACE: 'a.b' }), {
    message: [
      'configuration:',
      '  - LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent',
      '  - NAMESPACE must not contain spaces or any of . * > / \\',
      '  - DATABASE_URL must be a postgres:// or postgresql:// URL, ' +
        'with a percent-encoded user and password',
      '  - REDIS_URL must be a redis:// or rediss:// URL',
      '  - LEDGER_ADDRESS must be host:port',
    ].join('\n'),
  });
  t.end();
});
