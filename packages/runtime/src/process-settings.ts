import { setting } from './settings.js';
import { samplers } from './tracing/edge-sampling.js';

/** Settings of every process. */
export const processSettings = {
  logLevel: setting.choice('LOG_LEVEL', {
    doc: 'log level of pino: `trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`',
    fallback: 'info',
    of: ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
    anyCase: true,
  }),
  healthPort: setting.integer('HEALTH_PORT', {
    doc: 'HTTP port of `/livez`, `/readyz` and `/metrics`; 0 picks a free one',
    fallback: 9090,
    max: 65535,
  }),
  healthHost: setting.optional('HEALTH_HOST', {
    doc: 'address that this port binds to; empty for all addresses',
  }),
  shutdownNoticeMs: setting.integer('SHUTDOWN_NOTICE_MS', {
    doc:
      'milliseconds for which a stopping service reports not ready but still accepts requests, ' +
      'so that load balancers remove it first',
    fallback: 0,
    max: 30_000,
  }),
};

/** Named as by OpenTelemetry; spread into the settings of every service. */
export const tracingSettings = {
  otlpEndpoint: setting.httpUrl('OTEL_EXPORTER_OTLP_ENDPOINT', {
    doc:
      'collector of [traces](../../docs/operations.md#traces) (OTLP over HTTP); if empty, ' +
      'tracing is off',
    fallback: '',
  }),
  otlpHeaders: setting.pairs('OTEL_EXPORTER_OTLP_HEADERS', {
    doc: 'HTTP headers sent to the collector, `name=value,…`; treat it as a secret',
    fallback: {},
  }),
  otelServiceName: setting.text('OTEL_SERVICE_NAME', {
    doc: "service name in traces; empty for this service's own name",
    fallback: '',
  }),
};

/** Only for the gateway, which makes the sampling decision that the other services follow. */
export const edgeTracingSettings = {
  tracesSampler: setting.choice('OTEL_TRACES_SAMPLER', {
    doc: 'one of the six standard OpenTelemetry samplers, from `always_off` to `always_on`',
    fallback: 'parentbased_traceidratio',
    of: samplers,
  }),
  tracesSamplerRatio: setting.share('OTEL_TRACES_SAMPLER_ARG', {
    doc: 'sampling ratio from 0 to 1, for the ratio-based samplers',
    fallback: 0.01,
  }),
  tracesFollowCallers: setting.choice('TRACES_FOLLOW_CALLERS', {
    doc:
      '`on` or `off`: whether the parent-based samplers honour the sampling decision in a ' +
      "caller's `traceparent`",
    fallback: 'off',
    of: ['on', 'off'],
  }),
};

const pemCertificate = /-----BEGIN CERTIFICATE-----/;
const pemKey = /-----BEGIN ([A-Z]+ )?PRIVATE KEY-----/;

/** For every service, since each of them serves gRPC or calls those that do. */
export const grpcTlsSettings = {
  grpcCertFile: setting.file('GRPC_CERT_FILE', {
    doc:
      '[certificate](../../docs/operations.md#tls-between-the-services) of this service for ' +
      'gRPC, in PEM; needs the next two',
    has: pemCertificate,
  }),
  grpcKeyFile: setting.file('GRPC_KEY_FILE', {
    doc: 'private key of this certificate, in PEM and without a passphrase',
    has: pemKey,
  }),
  grpcCaFile: setting.file('GRPC_CA_FILE', {
    doc: 'certificates of the CA that the other services have theirs from, in PEM',
    has: pemCertificate,
  }),
};

/** For a service that serves gRPC. */
export const grpcSettings = {
  grpcHost: setting.text('GRPC_HOST', {
    doc: 'address that the gRPC server binds to; `::` for all of IPv4 and IPv6',
    fallback: '0.0.0.0',
  }),
  grpcPort: setting.integer('GRPC_PORT', {
    doc: 'port of the gRPC server; 0 picks a free one',
    max: 65535,
  }),
  ...grpcTlsSettings,
};

export const databaseUrl = (variable: string, doc: string) =>
  setting.databaseUrl(variable, { doc });

export const redisUrl = (doc: string) =>
  setting.serverUrl('REDIS_URL', { doc, schemes: ['redis', 'rediss'], bare: true, socket: true });

/** For a service with one database per environment. */
export const databaseSettings = {
  databaseUrlLive: databaseUrl('DATABASE_URL_LIVE', 'PostgreSQL URL of the live database'),
  databaseUrlSandbox: databaseUrl('DATABASE_URL_SANDBOX', 'PostgreSQL URL of the sandbox database'),
  databasePoolSize: setting.integer('DATABASE_POOL_SIZE', {
    doc: 'number of connections to each database',
    fallback: 10,
    min: 2,
    max: 200,
  }),
};

/** Several installations can share a NATS or Redis server if their namespaces differ. */
export const namespaceSetting = {
  namespace: setting.namespace('NAMESPACE', {
    doc: 'prefix of all bus subjects, streams and Redis keys',
    fallback: 'countersign',
  }),
};

export const natsSetting = {
  natsUrl: setting.serverUrl('NATS_URL', {
    doc:
      '[URL of a NATS server](../../docs/operations.md#nats) with JetStream, or of several of ' +
      'one cluster, comma-separated; with `user:password@` or `token@` it is a secret',
    schemes: ['nats', 'tls'],
    bare: true,
    many: true,
  }),
  natsCredentialsFile: setting.file('NATS_CREDENTIALS_FILE', {
    doc: 'file with the credentials for NATS: a `.creds` file, or the seed of an nkey',
    has: /^\s*SU[A-Z2-7]{56}\s*$|BEGIN NATS USER JWT/,
  }),
  natsCertFile: setting.file('NATS_CERT_FILE', {
    doc: 'client certificate for NATS, in PEM; needs `NATS_KEY_FILE`',
    has: pemCertificate,
  }),
  natsKeyFile: setting.file('NATS_KEY_FILE', {
    doc: 'private key of this certificate, in PEM and without a passphrase',
    has: pemKey,
  }),
  natsJetStreamDomain: setting.text('NATS_JETSTREAM_DOMAIN', {
    doc: "JetStream domain; empty for the server's own",
    fallback: '',
  }),
  natsStreamReplicas: setting.integer('NATS_STREAM_REPLICAS', {
    doc: 'number of servers that store each stream this service creates; 3 in a cluster',
    fallback: 1,
    min: 1,
    max: 5,
  }),
  ...namespaceSetting,
};
