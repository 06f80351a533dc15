import { environments } from '@countersign/kernel/environment';
import { identityService } from '@countersign/proto/identity';
import { multiplexService } from '@countersign/proto/multiplex';
import { eventChore } from '@countersign/runtime/retention';
import { type Ports, serve } from '@countersign/runtime/serve';
import { startUpkeep } from '@countersign/runtime/upkeep';
import { startRevocations } from './agent/revocations.js';
import type { Context } from './context.js';
import { handlers } from './handlers/index.js';
import { trustConsumer } from './trust.js';

/** Serves gRPC calls and consumes bus events until the lifecycle ends. */
export async function startServer(context: Context): Promise<Ports> {
  const { bus, lifecycle, log, relays, stores } = context;
  for (const environment of environments) {
    bus.subscribe({
      environment,
      topic: 'trust.changed',
      handle: trustConsumer(context, environment),
    });
    const { pool } = stores[environment];
    startUpkeep([eventChore(pool)], { log, lifecycle, environment });
    const relay = relays[environment];
    const revocations = startRevocations({ environment, pool, relay, log });
    lifecycle.onShutdown(`revocations ${environment}`, () => revocations.stop());
  }
  // Without the ledger or the bus, reads and most creations still work, so readiness ignores them.
  const contract = { service: identityService, handlers: handlers(context) };
  return serve(context, { ...contract, multiplex: multiplexService });
}
