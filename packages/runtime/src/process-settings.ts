import { setting } from './settings.js';

/** What every process is told in the same way. */
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

/** A service that answers gRPC. */
export const grpcSettings = {
  grpcHost: setting.text('GRPC_HOST', {
    doc: 'address the gRPC server binds',
    fallback: '0.0.0.0',
  }),
  grpcPort: setting.integer('GRPC_PORT', { doc: 'gRPC port; 0 picks a free one', max: 65535 }),
};

/** A service with one database for each environment. */
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

/** Several installations can share a NATS or Redis server when their namespaces differ. */
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
