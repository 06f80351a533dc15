import { samplers } from './edge-sampling.js';
import { setting } from './settings.js';

/** Settings of every process. */
export const processSettings = {
  logLevel: setting.text('LOG_LEVEL', { doc: 'pino level', fallback: 'info' }),
  healthPort: setting.integer('HEALTH_PORT', {
    doc: 'HTTP port of /livez, /readyz and /metrics; 0 picks a free one',
    fallback: 9090,
    max: 65535,
  }),
  healthHost: setting.optional('HEALTH_HOST', {
    doc: 'address that port binds; empty for all addresses',
  }),
  shutdownNoticeMs: setting.integer('SHUTDOWN_NOTICE_MS', {
    doc: 'how long to answer not-ready before taking no more work, for load balancers to notice',
    fallback: 0,
    max: 30_000,
  }),
};

/** Named as by OpenTelemetry; spread into the settings of every service. */
export const tracingSettings = {
  otlpEndpoint: setting.httpUrl('OTEL_EXPORTER_OTLP_ENDPOINT', {
    doc: 'where [traces](../../docs/operations.md#traces) go, as OTLP over HTTP; off where empty',
    fallback: '',
  }),
  otlpHeaders: setting.pairs('OTEL_EXPORTER_OTLP_HEADERS', {
    doc: 'what is sent with them, `name=value,…`; a secret',
    fallback: {},
  }),
  otelServiceName: setting.text('OTEL_SERVICE_NAME', {
    doc: 'under which name; empty for the name of the service',
    fallback: '',
  }),
};

/** Only for the gateway, which makes the sampling decision that the other services follow. */
export const edgeTracingSettings = {
  tracesSampler: setting.choice('OTEL_TRACES_SAMPLER', {
    doc: 'which requests are traced: OpenTelemetry has six ways, from `always_off` to `always_on`',
    fallback: 'parentbased_traceidratio',
    of: samplers,
  }),
  tracesSamplerRatio: setting.share('OTEL_TRACES_SAMPLER_ARG', {
    doc: 'the share of them, 0 to 1, where the way is a ratio',
    fallback: 0.01,
  }),
  tracesFollowCallers: setting.choice('TRACES_FOLLOW_CALLERS', {
    doc: "`on` or `off`: whether a caller's word counts that its own trace is kept",
    fallback: 'off',
    of: ['on', 'off'],
  }),
};

/** For a service that serves gRPC. */
export const grpcSettings = {
  grpcHost: setting.text('GRPC_HOST', {
    doc: 'address the gRPC server binds',
    fallback: '0.0.0.0',
  }),
  grpcPort: setting.integer('GRPC_PORT', { doc: 'gRPC port; 0 picks a free one', max: 65535 }),
};

/** For a service with one database per environment. */
export const databaseSettings = {
  databaseUrlLive: setting.text('DATABASE_URL_LIVE', { doc: 'PostgreSQL database of live' }),
  databaseUrlSandbox: setting.text('DATABASE_URL_SANDBOX', {
    doc: 'PostgreSQL database of sandbox',
  }),
  databasePoolSize: setting.integer('DATABASE_POOL_SIZE', {
    doc: 'connections to each database',
    fallback: 10,
    min: 2,
    max: 200,
  }),
};

/** Several installations can share a NATS or Redis server if their namespaces differ. */
export const namespaceSetting = {
  namespace: setting.text('NAMESPACE', {
    doc: 'first part of every bus subject, stream and Redis key',
    fallback: 'countersign',
  }),
};

export const natsSetting = {
  natsUrl: setting.text('NATS_URL', { doc: 'NATS server with JetStream' }),
  ...namespaceSetting,
};
