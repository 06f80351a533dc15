import { environments } from '@countersign/kernel/environment';
import { ledgerService } from '@countersign/proto/ledger';
import { multiplexService } from '@countersign/proto/multiplex';
import { databaseChecks } from '@countersign/runtime/database-checks';
import { startGrpcServer } from '@countersign/runtime/grpc-server';
import { startHealthServer } from '@countersign/runtime/health';
import { startUpkeep } from '@countersign/runtime/upkeep';
import { startChainBuilder } from './chain/builder.js';
import { headEveryMs } from './config.js';
import type { Context } from './context.js';
import { tellExpired } from './expired-step-ups.js';
import { createHandlers } from './handlers/index.js';
import { sweepNonces, sweepOutbox } from './retention.js';

export interface Ports {
  grpcPort: number;
  healthPort: number;
}

/**
 * Starts to take calls. Ready with both databases: the bus may be away for as long as it likes,
 * what is recorded waits in the outbox.
 */
export async function startServer(context: Context): Promise<Ports> {
  const { config, log, metrics, lifecycle, stores, tracer } = context;
  startUpkeeps(context);
  startChains(context);
  const healthPort = await startHealthServer({
    host: config.healthHost,
    port: config.healthPort,
    lifecycle,
    metrics,
    ...databaseChecks({ live: stores.live.pool, sandbox: stores.sandbox.pool }),
  });
  const grpcPort = await startGrpcServer({
    service: ledgerService,
    handlers: createHandlers(context),
    multiplex: multiplexService,
    host: config.grpcHost,
    port: config.grpcPort,
    log,
    metrics,
    lifecycle,
    tracer,
  });
  return { grpcPort, healthPort };
}

function startUpkeeps({ config, log, clock, lifecycle, stores, relays }: Context): void {
  const { outboxRetentionHours: retentionHours } = config;
  for (const environment of environments) {
    const { pool } = stores[environment];
    const expired = async (signal: AbortSignal): Promise<number> => {
      const told = await tellExpired({ environment, pool, signal });
      if (told > 0) relays[environment].wake();
      return told;
    };
    // In this order: many wait for the first, and nobody for the others.
    const chores = [
      { what: 'told of challenges that nobody answered', work: expired },
      {
        what: 'forgot published events past their retention',
        work: (signal: AbortSignal) => sweepOutbox({ pool, clock, retentionHours, signal }),
      },
      {
        what: 'forgot presentations that have expired',
        work: (signal: AbortSignal) => sweepNonces({ pool, clock, signal }),
      },
    ];
    const upkeep = startUpkeep(chores, { log: log.child({ environment }) });
    lifecycle.onShutdown(`upkeep ${environment}`, () => upkeep.stop());
  }
}

function startChains({ cipher, log, clock, lifecycle, metrics, stores }: Context): void {
  const entries = metrics.counter('chain_entries_total', 'entries added to the hash chain', [
    'environment',
  ]);
  const refuses = metrics.gauge('chain_refused', '1: the log was changed, no head is signed', [
    'environment',
  ]);
  for (const environment of environments) {
    const { pool } = stores[environment];
    const builder = startChainBuilder({
      ...{ environment, pool, cipher, clock, headEveryMs, entries, refuses },
      log: log.child({ environment }),
    });
    lifecycle.onShutdown('hash chain', () => builder.stop());
  }
}
