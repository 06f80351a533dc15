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
  identityAddress: setting.text('IDENTITY_ADDRESS', {
    doc: '`host:port` of identity, which is asked how a Principal wants its one-time codes',
  }),
  secretsKey: setting.key('SECRETS_KEY', {
    doc: 'base64 of 32 bytes; seals the signing secrets of webhooks and keys the hashes of codes',
  }),
  secretsKeysPrevious: setting.list('SECRETS_KEYS_PREVIOUS', {
    doc: 'former values of `SECRETS_KEY`, which only open what they sealed',
    fallback: [],
  }),
  webhookAllowedHosts: setting.list('WEBHOOK_ALLOWED_HOSTS', {
    doc: '`host` or `host:port` list exempt from the address and https rules; for development',
    fallback: [],
  }),
  webhookRetryBaseMs: setting.integer('WEBHOOK_RETRY_BASE_MS', {
    doc: 'first pause between attempts; each further one doubles',
    fallback: 1_000,
    min: 1,
    max: 60_000,
  }),
  webhookTimeoutMs: setting.integer('WEBHOOK_TIMEOUT_MS', {
    doc: 'an attempt ends after this time',
    fallback: 10_000,
    min: 100,
    max: 30_000,
  }),
  webhookConnectTimeoutMs: setting.integer('WEBHOOK_CONNECT_TIMEOUT_MS', {
    doc: 'part of it for the connection, name look-up and TLS included',
    fallback: 5_000,
    min: 100,
    max: 30_000,
  }),
  webhookConcurrency: setting.integer('WEBHOOK_CONCURRENCY', {
    doc: 'attempts under way at once in each environment of a replica; an eighth for one Principal',
    fallback: 512,
    min: 4,
    max: 10_000,
  }),
  webhookEndpointConcurrency: setting.integer('WEBHOOK_ENDPOINT_CONCURRENCY', {
    doc: 'of these, to one endpoint that answers well; one that does not gets 1',
    fallback: 8,
    min: 1,
    max: 100,
  }),
  webhooksPerPrincipal: setting.integer('WEBHOOKS_PER_PRINCIPAL', {
    doc: 'how many webhooks a Principal may have',
    fallback: 500,
    min: 1,
    max: 10_000,
  }),
  deliveryRetentionDays: setting.integer('DELIVERY_RETENTION_DAYS', {
    doc: 'finished deliveries are kept this long',
    fallback: 30,
    min: 1,
    max: 3_650,
  }),
  smtpUrl: setting.optional('SMTP_URL', {
    doc: '`smtp://user:password@host:port` or `smtps://…` that takes one-time codes by e-mail',
  }),
  smtpFrom: setting.optional('SMTP_FROM', { doc: 'sender of these e-mails' }),
  smsGatewayUrl: setting.optional('SMS_GATEWAY_URL', {
    doc: 'takes one-time codes by SMS: POST `{to, text}`',
  }),
  smsGatewayToken: setting.optional('SMS_GATEWAY_TOKEN', { doc: 'Bearer token for it' }),
  codesPerAddress: setting.integer('CODES_PER_ADDRESS', {
    doc: 'one-time codes to one address or number in any ten minutes, in each environment',
    fallback: 5,
    min: 1,
    max: 1_000,
  }),
  codesPerAddressDay: setting.integer('CODES_PER_ADDRESS_DAY', {
    doc: 'the same in any day',
    fallback: 20,
    min: 1,
    max: 1_000,
  }),
  codesPerClientHourLive: setting.integer('CODES_PER_CLIENT_HOUR_LIVE', {
    doc: 'one-time codes for one Client in live, in an hour that begins with its first',
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
    ...config.secretsKeysPrevious
      .filter((text) => Buffer.from(text, 'base64').length !== 32)
      .map(() => 'SECRETS_KEYS_PREVIOUS must be base64 texts of 32 bytes each'),
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
