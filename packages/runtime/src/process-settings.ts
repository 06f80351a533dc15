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

/** For a service that serves gRPC. */
export const grpcSettings = {
  grpcHost: setting.text('GRPC_HOST', {
    doc: 'address that the gRPC server binds to',
    fallback: '0.0.0.0',
  }),
  grpcPort: setting.integer('GRPC_PORT', {
    doc: 'port of the gRPC server; 0 picks a free one',
    max: 65535,
  }),
};

export const databaseUrl = (variable: string, doc: string) =>
  setting.serverUrl(variable, { doc, schemes: ['postgres', 'postgresql'], socket: true });

export const redisUrl = (doc: string) =>
  setting.serverUrl('REDIS_URL', { doc, schemes: ['redis', 'rediss'], bare: true, socket: true });

/** For a service with one database per environment. */
export const databaseSettings = {
  databaseUrlLive: databaseUrl('DATABASE_URL_LIVE', 'PostgreSQL URL of the live database'),
  databaseUrlSandbox: databaseUrl('DATABASE_URL_SANDBOX', 'PostgreSQL URL of the sandbox database'),
  databasePoolSize: setting.integer('DATABASE_POOL_SIZE', {
    doc: 'size of the connection pool of each database',
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
    doc: 'URL of a NATS server with JetStream',
    schemes: ['nats', 'tls'],
    bare: true,
  }),
  ...namespaceSetting,
};
