import { type Environment, environments } from '@countersign/kernel/environment';
import { decisionService } from '@countersign/proto/decision';
import { multiplexService } from '@countersign/proto/multiplex';
import { startGrpcServer } from '@countersign/runtime/grpc-server';
import { startHealthServer } from '@countersign/runtime/health';
import { startRelay } from '@countersign/runtime/outbox';
import { startRetention } from '@countersign/runtime/retention';
import type { Context } from './context.js';
import { handlers } from './handlers/index.js';
import { ProfileConsumer, profileEventTypes } from './profile/consumer.js';

/** Answers calls, learns from events, tells what changed; all of it ends with the lifecycle. */
export async function startServer(
  context: Context,
): Promise<{ grpcPort: number; healthPort: number }> {
  const { config, lifecycle, log, metrics } = context;
  for (const environment of environments) learnFromEvents(context, environment);
  const grpcPort = await startGrpcServer({
    service: decisionService,
    handlers: handlers(context),
    multiplex: multiplexService,
    host: config.grpcHost,
    port: config.grpcPort,
    log,
    metrics,
    lifecycle,
  });
  const healthPort = await startHealthServer({
    host: config.healthHost,
    port: config.healthPort,
    checks: checks(context),
    lifecycle,
    metrics,
  });
  return { grpcPort, healthPort };
}

function learnFromEvents(context: Context, environment: Environment): void {
  const { bus, lifecycle, log } = context;
  const { pool } = context.stores[environment];
  const relay = startRelay({ environment, pool, bus, log: log.child({ environment }) });
  lifecycle.onShutdown(`relay ${environment}`, () => relay.stop());
  const retention = startRetention({ pool, log: log.child({ environment }) });
  lifecycle.onShutdown(`retention ${environment}`, () => retention.stop());
  const memory = context.memory[environment];
  const consumer = new ProfileConsumer({ pool, memory, told: () => relay.wake() });
  const handle = consumer.handle.bind(consumer);
  // One subscription for each type, so that the bus filters and not this process.
  for (const type of profileEventTypes) bus.subscribe({ environment, types: [type], handle });
}

/** Neither bus nor neighbours: without them a decision still fails safe, and that is an answer. */
function checks({ stores }: Context): Record<string, () => Promise<void>> {
  return {
    database_live: async () => {
      await stores.live.pool.query('SELECT 1');
    },
    database_sandbox: async () => {
      await stores.sandbox.pool.query('SELECT 1');
    },
  };
}
