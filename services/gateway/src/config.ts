import { environments } from '@countersign/kernel/environment';
import {
  edgeTracingSettings,
  namespaceSetting,
  processSettings,
  tracingSettings,
} from '@countersign/runtime/process-settings';
import { readSettings, type Settings, SettingsError, setting } from '@countersign/runtime/settings';
import { parseCidr } from './client-ip.js';

const address = (variable: string, service: string) =>
  setting.text(variable, { doc: `\`host:port\` of the ${service} service's gRPC` });

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
  host: setting.text('HOST', { doc: 'address the public listener binds', fallback: '0.0.0.0' }),
  internalPort: setting.integer('INTERNAL_PORT', {
    doc: 'HTTP port of the operator interface; never to be exposed',
    fallback: 8081,
    max: 65535,
  }),
  internalHost: setting.text('INTERNAL_HOST', {
    doc: 'address the operator listener binds',
    fallback: '0.0.0.0',
  }),
  adminKey: setting.optional('ADMIN_KEY', {
    doc: 'what operators send as `X-Admin-Key`; without it their listener does not start',
  }),
  baseUrl: setting.text('BASE_URL', {
    doc: 'public address, used as issuer and in docs_url and jwks_uri',
    fallback: 'http://localhost:8080',
  }),
  databaseUrl: setting.text('DATABASE_URL', { doc: "PostgreSQL, the gateway's own database" }),
  databasePoolSize: setting.integer('DATABASE_POOL_SIZE', {
    doc: 'connections to the database',
    fallback: 10,
    min: 2,
    max: 200,
  }),
  redisUrl: setting.text('REDIS_URL', { doc: 'Redis: rate limits and credential versions' }),
  redisTimeoutMs: setting.integer('REDIS_TIMEOUT_MS', {
    doc: 'after which a Redis command is given up; what Redis holds can always be done without',
    fallback: 150,
    min: 10,
    max: 10_000,
  }),
  identityAddress: address('IDENTITY_ADDRESS', 'identity'),
  decisionAddress: address('DECISION_ADDRESS', 'decision'),
  ledgerAddress: address('LEDGER_ADDRESS', 'ledger'),
  notifierAddress: address('NOTIFIER_ADDRESS', 'notifier'),
  settlementAddress: address('SETTLEMENT_ADDRESS', 'settlement'),
  secretsKey: setting.key('SECRETS_KEY', {
    doc: 'base64 of 32 bytes; seals token keys at rest, derives the key of cursors',
  }),
  secretsKeysPrevious: setting.keys('SECRETS_KEYS_PREVIOUS', {
    doc: 'former values of `SECRETS_KEY`; what they sealed is sealed anew at the start',
    fallback: [],
  }),
  oauthEnvironments: setting.list('OAUTH_ENVIRONMENTS', {
    doc: 'environments where OAuth2 is on; `none` turns it off',
    fallback: [...environments],
  }),
  trustedProxies: setting.list('TRUSTED_PROXIES', {
    doc: 'CIDRs of proxies whose `X-Forwarded-For` is believed',
    fallback: [],
  }),
  rateLimitMultiplier: setting.factor('RATE_LIMIT_MULTIPLIER', {
    doc: 'scales every rate limit and the failed-authentication throttle; 0 turns them off',
    fallback: 1,
  }),
  authorizeDeadlineMs: setting.integer('AUTHORIZE_DEADLINE_MS', {
    doc: 'by when /authorize answers, if need be by failing safe; more than DECISION_DEADLINE_MS',
    fallback: 1_500,
    min: 100,
    max: 60_000,
  }),
  maxConnections: setting.integer('MAX_CONNECTIONS', {
    doc: 'connections the public listener keeps open at once',
    fallback: 4096,
    min: 1,
    max: 65535,
  }),
  accessLog: setting.text('ACCESS_LOG', {
    doc: '`on` or `off`: a log line for each request',
    fallback: 'on',
  }),
  console: setting.text('CONSOLE', {
    doc: '`on` or `off`: the [console](../../docs/console.md) at `/console/`, beside the API',
    fallback: 'off',
  }),
  verificationCallbackSecret: setting.optional('VERIFICATION_CALLBACK_SECRET', {
    doc: 'key of the HMAC a verification provider signs its callbacks with; none are taken without',
  }),
  failSafeJournal: setting.text('FAIL_SAFE_JOURNAL', {
    doc: 'file of the fail-safe answers that are not on record yet; on a volume that lasts',
    fallback: 'fail-safe.jsonl',
  }),
  failSafeJournalMaxBytes: setting.integer('FAIL_SAFE_JOURNAL_MAX_BYTES', {
    doc: 'most that file may weigh; /authorize answers 429 to what there is no room to keep',
    fallback: 64 * 1024 * 1024,
    // Room for several of the largest bodies, however much their text grows on its way there.
    min: 1024 * 1024,
  }),
};

export type Config = Settings<typeof settings>;

/** Throws a SettingsError that names everything that is wrong at once. */
export function loadConfig(env: NodeJS.ProcessEnv): Config {
  const config = readSettings(settings, env);
  const problems = [...problemsOf(config)];
  if (problems.length > 0) throw new SettingsError(problems);
  return { ...config, baseUrl: config.baseUrl.replace(/\/+$/, '') };
}

function* problemsOf(config: Config): Generator<string> {
  if (!URL.canParse(config.baseUrl)) yield 'BASE_URL must be a URL';
  for (const cidr of config.trustedProxies) {
    if (!parseCidr(cidr)) yield `TRUSTED_PROXIES: ${cidr} is not a CIDR`;
  }
  const known = ['none', ...environments];
  for (const name of config.oauthEnvironments) {
    if (!known.includes(name)) yield `OAUTH_ENVIRONMENTS: ${name} is not an environment`;
  }
  if (!['on', 'off'].includes(config.accessLog)) yield 'ACCESS_LOG must be on or off';
  if (!['on', 'off'].includes(config.console)) yield 'CONSOLE must be on or off';
}
