import { type Environment, environments } from '@countersign/kernel/environment';
import { settlementService } from '@countersign/proto/settlement';
import type { Loop } from '@countersign/runtime/loop';
import { type Ports, serve } from '@countersign/runtime/serve';
import type { Context } from './context.js';
import { handlers } from './handlers/index.js';
import { startOutcomeReporter } from './report-outcome.js';
import { startWatcher } from './watcher.js';

/** Watches open settlements and serves gRPC calls until the lifecycle ends. */
export async function startServer(context: Context): Promise<Ports> {
  const loops = environments.flatMap((environment) => startLoops(context, environment));
  context.lifecycle.onShutdown('watchers', async () => {
    await Promise.all(loops.map((loop) => loop.stop()));
  });
  // Without a chain or the ledger, settlements can still be read, so readiness ignores them.
  const contract = { service: settlementService, handlers: handlers(context) };
  return serve(context, contract);
}

/** Starts the watchers and the reporter, unless the environment has no chains. */
function startLoops(context: Context, environment: Environment): Loop[] {
  const chains = [...context.chains[environment].values()];
  if (chains.length === 0) return [];
  const { clock, counted, ledger, tracer } = context;
  const shared = {
    ...{ environment, pool: context.stores[environment].pool, clock, counted, tracer },
    pollMs: context.config.chainPollMs,
    log: context.log.child({ environment }),
  };
  const settings = chains.map((chain) => chain.settings);
  const signal = context.settled[environment];
  const reporter = startOutcomeReporter({ ...shared, ledger, chains: settings, signal });
  const onSettled = (): void => signal.wake();
  return [reporter, ...chains.map((chain) => startWatcher({ ...shared, chain, onSettled }))];
}
