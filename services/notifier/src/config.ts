import {
  databaseSettings,
  grpcSettings,
  natsSetting,
  processSettings,
  tracingSettings,
} from '@countersign/runtime/process-settings';
import { readSettings, type Settings, SettingsError, setting } from '@countersign/runtime/settings';

export const settings = {
  ...processSettings,
  ...tracingSettings,
  ...grpcSettings,
  ...databaseSettings,
  ...natsSetting,
  identityAddress: setting.address('IDENTITY_ADDRESS', {
    doc: "`host:port` of identity's gRPC, which knows how a Principal receives one-time codes",
  }),
  secretsKey: setting.key('SECRETS_KEY', {
    doc:
      '32 bytes in base64; encrypts the signing secrets of webhooks and keys the hashes of ' +
      'one-time codes',
  }),
  secretsKeysPrevious: setting.keys('SECRETS_KEYS_PREVIOUS', {
    doc: 'former values of `SECRETS_KEY`, for what was encrypted or hashed with them',
    fallback: [],
  }),
  webhookAllowedHosts: setting.list('WEBHOOK_ALLOWED_HOSTS', {
    doc:
      'list of `host` or `host:port` exempt from the rules on addresses and HTTPS; for ' +
      'development only',
    fallback: [],
  }),
  webhookRetryBaseMs: setting.integer('WEBHOOK_RETRY_BASE_MS', {
    doc: 'delay before the first retry in milliseconds; it doubles with each further retry',
    fallback: 1_000,
    min: 1,
    max: 60_000,
  }),
  webhookTimeoutMs: setting.integer('WEBHOOK_TIMEOUT_MS', {
    doc: 'timeout of a delivery attempt in milliseconds',
    fallback: 10_000,
    min: 100,
    max: 30_000,
  }),
  webhookConnectTimeoutMs: setting.integer('WEBHOOK_CONNECT_TIMEOUT_MS', {
    doc: 'the part of that timeout for DNS, connecting and the TLS handshake, in milliseconds',
    fallback: 5_000,
    min: 100,
    max: 30_000,
  }),
  webhookConcurrency: setting.integer('WEBHOOK_CONCURRENCY', {
    doc:
      'maximum number of concurrent attempts per replica and environment; one Principal gets at ' +
      'most an eighth',
    fallback: 512,
    min: 4,
    max: 10_000,
  }),
  webhookEndpointConcurrency: setting.integer('WEBHOOK_ENDPOINT_CONCURRENCY', {
    doc: 'the same per endpoint; one that is new or whose last delivery failed gets 1',
    fallback: 8,
    min: 1,
    max: 100,
  }),
  webhooksPerPrincipal: setting.integer('WEBHOOKS_PER_PRINCIPAL', {
    doc: 'maximum number of webhooks per Principal',
    fallback: 500,
    min: 1,
    max: 10_000,
  }),
  deliveryRetentionDays: setting.integer('DELIVERY_RETENTION_DAYS', {
    doc: 'days for which finished deliveries are kept',
    fallback: 30,
    min: 1,
    max: 3_650,
  }),
  smtpUrl: setting.optional('SMTP_URL', {
    doc: 'SMTP server for one-time codes: `smtp://user:password@host:port` or `smtps://…`',
  }),
  smtpFrom: setting.optional('SMTP_FROM', { doc: 'sender address of these e-mails' }),
  smsGatewayUrl: setting.optional('SMS_GATEWAY_URL', {
    doc:
      'URL to which one-time codes by SMS are sent: `POST {to, text}`; 422 says that the number ' +
      'cannot be used, and ends the code',
  }),
  smsGatewayToken: setting.optional('SMS_GATEWAY_TOKEN', {
    doc: 'Bearer token for the SMS gateway',
  }),
  codesPerAddress: setting.integer('CODES_PER_ADDRESS', {
    doc:
      'maximum number of one-time codes per address or phone number in any ten minutes, per ' +
      'environment',
    fallback: 5,
    min: 1,
    max: 1_000,
  }),
  codesPerAddressDay: setting.integer('CODES_PER_ADDRESS_DAY', {
    doc: 'the same in any 24 hours',
    fallback: 20,
    min: 1,
    max: 1_000,
  }),
  codesPerClientHourLive: setting.integer('CODES_PER_CLIENT_HOUR_LIVE', {
    doc: 'maximum number of one-time codes per Client in live, per hour counted from the first',
    fallback: 10_000,
    min: 1,
    max: 1_000_000,
  }),
  codesPerClientHourSandbox: setting.integer('CODES_PER_CLIENT_HOUR_SANDBOX', {
    doc: 'the same in sandbox',
    fallback: 100,
    min: 1,
    max: 1_000_000,
  }),
};

export type Config = Settings<typeof settings>;

/** Throws one SettingsError that lists every problem. */
export function loadConfig(env: NodeJS.ProcessEnv): Config {
  const config = readSettings(settings, env);
  const problems = [
    ...(config.smtpUrl && !config.smtpFrom ? ['SMTP_FROM is required with SMTP_URL'] : []),
    ...(config.smtpUrl && !/^smtps?:\/\//.test(config.smtpUrl)
      ? ['SMTP_URL must be smtp(s)://']
      : []),
    ...(config.smsGatewayUrl && !/^https?:\/\//.test(config.smsGatewayUrl)
      ? ['SMS_GATEWAY_URL must be http(s)://']
      : []),
    ...(config.codesPerAddress > config.codesPerAddressDay
      ? ['CODES_PER_ADDRESS must not be more than CODES_PER_ADDRESS_DAY']
      : []),
    ...(config.webhookConnectTimeoutMs > config.webhookTimeoutMs
      ? ['WEBHOOK_CONNECT_TIMEOUT_MS must not be longer than WEBHOOK_TIMEOUT_MS']
      : []),
  ];
  if (problems.length > 0) throw new SettingsError(problems);
  return config;
}
