import { environments } from '@countersign/kernel/environment';
import {
  databaseUrl,
  edgeTracingSettings,
  grpcTlsSettings,
  namespaceSetting,
  processSettings,
  redisUrl,
  tracingSettings,
} from '@countersign/runtime/process-settings';
import { readSettings, type Settings, SettingsError, setting } from '@countersign/runtime/settings';
import { parseCidr } from './http/client-ip.js';

const address = (variable: string, service: string) =>
  setting.address(variable, { doc: `\`host:port\` of ${service}'s gRPC` });

/** Everything this service reads from its environment; the README's table is made from it. */
export const settings = {
  ...processSettings,
  ...namespaceSetting,
  ...tracingSettings,
  ...edgeTracingSettings,
  port: setting.integer('PORT', {
    doc: 'HTTP port of the public API; 0 picks a free one',
    fallback: 8080,
    max: 65535,
  }),
  host: setting.text('HOST', {
    doc: 'address that the public listener binds to',
    fallback: '0.0.0.0',
  }),
  internalPort: setting.integer('INTERNAL_PORT', {
    doc: 'HTTP port of the operator API, which must never be exposed',
    fallback: 8081,
    max: 65535,
  }),
  internalHost: setting.text('INTERNAL_HOST', {
    doc: 'address that the operator listener binds to',
    fallback: '0.0.0.0',
  }),
  adminKey: setting.optional('ADMIN_KEY', {
    doc:
      'value that operators send as `X-Admin-Key`; if empty, the operator listener ' +
      'does not start',
  }),
  baseUrl: setting.httpUrl('BASE_URL', {
    doc: 'public URL of the API, used as issuer and in `docs_url` and `jwks_uri`',
    fallback: 'http://localhost:8080',
  }),
  databaseUrl: databaseUrl('DATABASE_URL', "PostgreSQL URL of the gateway's own database"),
  databasePoolSize: setting.integer('DATABASE_POOL_SIZE', {
    doc: 'size of the connection pool',
    fallback: 10,
    min: 2,
    max: 200,
  }),
  redisUrl: redisUrl('URL of the Redis server for rate limits and credential versions'),
  redisTimeoutMs: setting.integer('REDIS_TIMEOUT_MS', {
    doc: 'timeout of a Redis command in milliseconds; every request can be served without Redis',
    fallback: 150,
    min: 10,
    max: 10_000,
  }),
  identityAddress: address('IDENTITY_ADDRESS', 'identity'),
  decisionAddress: address('DECISION_ADDRESS', 'decision'),
  ledgerAddress: address('LEDGER_ADDRESS', 'ledger'),
  notifierAddress: address('NOTIFIER_ADDRESS', 'notifier'),
  settlementAddress: address('SETTLEMENT_ADDRESS', 'settlement'),
  ...grpcTlsSettings,
  secretsKey: setting.key('SECRETS_KEY', {
    doc:
      '32 bytes in base64; encrypts token keys at rest, and the key of pagination cursors is ' +
      'derived from it',
  }),
  secretsKeysPrevious: setting.keys('SECRETS_KEYS_PREVIOUS', {
    doc: 'former values of `SECRETS_KEY`; what was encrypted with them is re-encrypted at start',
    fallback: [],
  }),
  oauthEnvironments: setting.list('OAUTH_ENVIRONMENTS', {
    doc: 'environments in which OAuth 2 is enabled; `none` disables it',
    fallback: [...environments],
  }),
  trustedProxies: setting.list('TRUSTED_PROXIES', {
    doc: 'CIDRs of the proxies whose `X-Forwarded-For` is trusted',
    fallback: [],
  }),
  rateLimitMultiplier: setting.factor('RATE_LIMIT_MULTIPLIER', {
    doc: 'factor for all rate limits and the failed-authentication throttle; 0 disables them',
    fallback: 1,
  }),
  authorizeDeadlineMs: setting.integer('AUTHORIZE_DEADLINE_MS', {
    doc:
      'deadline of `POST /authorize` in milliseconds, after which it fails safe; must exceed ' +
      '`DECISION_DEADLINE_MS`',
    fallback: 1_500,
    min: 100,
    max: 60_000,
  }),
  maxConnections: setting.integer('MAX_CONNECTIONS', {
    doc:
      'maximum number of open connections to the public listener; less if the limit of open ' +
      'files does not leave 256 and `DATABASE_POOL_SIZE` for everything else',
    fallback: 4096,
    min: 1,
    max: 65535,
  }),
  accessLog: setting.choice('ACCESS_LOG', {
    doc: '`on` or `off`: whether each request is logged',
    fallback: 'on',
    of: ['on', 'off'],
  }),
  console: setting.choice('CONSOLE', {
    doc: '`on` or `off`: whether the [console](../../docs/console.md) is served at `/console/`',
    fallback: 'off',
    of: ['on', 'off'],
  }),
  verificationCallbackSecret: setting.optional('VERIFICATION_CALLBACK_SECRET', {
    doc: "HMAC key of the verification provider's callbacks; if empty, no callback is accepted",
  }),
  failSafeJournal: setting.text('FAIL_SAFE_JOURNAL', {
    doc:
      'file of the fail-safe answers that are not recorded yet; it belongs on a ' +
      'persistent volume',
    fallback: 'fail-safe.jsonl',
  }),
  failSafeJournalMaxBytes: setting.integer('FAIL_SAFE_JOURNAL_MAX_BYTES', {
    doc:
      'maximum size of this file in bytes; once it is full, `POST /authorize` answers 429 ' +
      'instead of failing safe',
    fallback: 64 * 1024 * 1024,
    // Room for several of the largest bodies, however much their text grows on its way there.
    min: 1024 * 1024,
  }),
};

export type Config = Settings<typeof settings>;

/** Throws a SettingsError that names all settings that cannot be read, or else cannot be used. */
export function loadConfig(env: NodeJS.ProcessEnv): Config {
  const config = readSettings(settings, env);
  const problems = [...problemsOf(config)];
  if (problems.length > 0) throw new SettingsError(problems);
  return config;
}

function* problemsOf(config: Config): Generator<string> {
  for (const cidr of config.trustedProxies) {
    if (!parseCidr(cidr)) yield `TRUSTED_PROXIES: ${cidr} is not a CIDR`;
  }
  const known = ['none', ...environments];
  for (const name of config.oauthEnvironments) {
    if (!known.includes(name)) yield `OAUTH_ENVIRONMENTS: ${name} is not an environment`;
  }
}
