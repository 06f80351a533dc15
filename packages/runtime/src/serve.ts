import type { PerEnvironment } from '@countersign/kernel/environment';
import { databaseChecks } from './database/database-checks.js';
import type { Store } from './database/stores.js';
import { grpcTransport } from './grpc/transport.js';
import { type GrpcServerOptions, startGrpcServer } from './grpc-server.js';
import { startHealthServer } from './health.js';
import type { grpcSettings } from './process-settings.js';
import type { Settings } from './settings.js';

type Parts = Required<Pick<GrpcServerOptions<unknown>, 'log' | 'metrics' | 'lifecycle' | 'tracer'>>;

interface Served extends Parts {
  config: Settings<typeof grpcSettings> & { healthHost: string | null; healthPort: number };
  stores: PerEnvironment<Pick<Store, 'pool'>>;
}

/** The contract of a service, with what answers it. */
type Contract<D> = Pick<GrpcServerOptions<D>, 'service' | 'handlers' | 'multiplex'>;

export interface Ports {
  grpcPort: number;
  healthPort: number;
}

/**
 * Serves a contract over gRPC, and health and metrics over HTTP, until the lifecycle ends. The
 * service is ready if it reaches its live database.
 */
export async function serve<D>(
  { config, log, metrics, lifecycle, tracer, stores }: Served,
  contract: Contract<D>,
): Promise<Ports> {
  const { grpcHost, grpcPort, healthHost, healthPort } = config;
  const { checks, told } = databaseChecks(stores);
  const parts = { log, metrics, lifecycle, tracer, checks, transport: grpcTransport(config) };
  return {
    grpcPort: await startGrpcServer({ ...contract, ...parts, host: grpcHost, port: grpcPort }),
    healthPort: await startHealthServer({
      ...{ host: healthHost, port: healthPort, lifecycle, metrics },
      ...{ checks, told },
    }),
  };
}
