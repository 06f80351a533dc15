import { environments } from '@countersign/kernel/environment';
import { identityService } from '@countersign/proto/identity';
import { multiplexService } from '@countersign/proto/multiplex';
import { databaseChecks } from '@countersign/runtime/database-checks';
import { startGrpcServer } from '@countersign/runtime/grpc-server';
import { startHealthServer } from '@countersign/runtime/health';
import { eventChore } from '@countersign/runtime/retention';
import { startUpkeep } from '@countersign/runtime/upkeep';
import { startRevocations } from './agent/revocations.js';
import type { Context } from './context.js';
import { handlers } from './handlers/index.js';
import { trustConsumer } from './trust.js';

/** Serves gRPC calls and consumes bus events until the lifecycle ends. */
export async function startServer(
  context: Context,
): Promise<{ grpcPort: number; healthPort: number }> {
  const { bus, config, lifecycle, log, metrics, relays, stores, tracer } = context;
  for (const environment of environments) {
    bus.subscribe({
      environment,
      topic: 'trust.changed',
      handle: trustConsumer(context, environment),
    });
    const upkeep = startUpkeep([eventChore(stores[environment].pool)], {
      log: log.child({ environment }),
    });
    lifecycle.onShutdown(`upkeep ${environment}`, () => upkeep.stop());
    const { pool } = stores[environment];
    const relay = relays[environment];
    const revocations = startRevocations({ environment, pool, relay, log });
    lifecycle.onShutdown(`revocations ${environment}`, () => revocations.stop());
  }
  const grpcPort = await startGrpcServer({
    service: identityService,
    handlers: handlers(context),
    multiplex: multiplexService,
    host: config.grpcHost,
    port: config.grpcPort,
    log,
    metrics,
    lifecycle,
    tracer,
  });
  const healthPort = await startHealthServer({
    host: config.healthHost,
    port: config.healthPort,
    // Without the ledger or the bus, reads and creations still work, so readiness ignores them.
    ...databaseChecks({ live: stores.live.pool, sandbox: stores.sandbox.pool }),
    lifecycle,
    metrics,
  });
  return { grpcPort, healthPort };
}
