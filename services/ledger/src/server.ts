import { environments } from '@countersign/kernel/environment';
import { ledgerService } from '@countersign/proto/ledger';
import { multiplexService } from '@countersign/proto/multiplex';
import { sweepChore } from '@countersign/runtime/retention';
import { type Ports, serve } from '@countersign/runtime/serve';
import { startUpkeep } from '@countersign/runtime/upkeep';
import { startChainBuilder } from './chain/builder.js';
import { headEveryMs } from './config.js';
import type { Context } from './context.js';
import { publishExpiredStepUps } from './expired-step-ups.js';
import { createHandlers } from './handlers/index.js';
import { nonceSweeps, outboxSweeps } from './retention.js';

/**
 * Serves gRPC calls until the lifecycle ends. Readiness depends on the databases but not on the
 * bus: while it is unavailable, events wait in the outbox.
 */
export async function startServer(context: Context): Promise<Ports> {
  startUpkeeps(context);
  startChains(context);
  const contract = { service: ledgerService, handlers: createHandlers(context) };
  return serve(context, { ...contract, multiplex: multiplexService });
}

function startUpkeeps({ config, log, lifecycle, stores, relays }: Context): void {
  for (const environment of environments) {
    const { pool } = stores[environment];
    const expired = async (signal: AbortSignal): Promise<number> => {
      const published = await publishExpiredStepUps({ environment, pool, signal });
      if (published > 0) relays[environment].wake();
      return published;
    };
    // The first one goes first because scores depend on it; the others only free storage.
    const chores = [
      { what: 'published the expiry of challenges', work: expired },
      sweepChore(
        'deleted published events after their retention',
        pool,
        outboxSweeps(config.outboxRetentionHours),
      ),
      sweepChore('deleted nonces of expired presentations', pool, nonceSweeps),
    ];
    startUpkeep(chores, { log, lifecycle, environment });
  }
}

function startChains({ cipher, log, clock, lifecycle, metrics, stores }: Context): void {
  const entries = metrics.counter('chain_entries_total', 'entries added to the hash chain', [
    'environment',
  ]);
  const refuses = metrics.gauge(
    'chain_refused',
    '1 if a change of the log was detected, after which no head is signed',
    ['environment'],
  );
  for (const environment of environments) {
    const { pool } = stores[environment];
    const builder = startChainBuilder({
      ...{ environment, pool, cipher, clock, headEveryMs, entries, refuses },
      log: log.child({ environment }),
    });
    lifecycle.onShutdown('hash chain', () => builder.stop());
  }
}
