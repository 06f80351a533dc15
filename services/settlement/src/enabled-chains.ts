import { Fault } from '@countersign/kernel/fault';
import type { Call } from '@countersign/runtime/grpc-types';
import type { Chain } from './chain.js';
import type { Context } from './context.js';

/** The chains of the environment; throws 403 if there are none. */
export function enabledChains(context: Context, call: Call): ReadonlyMap<string, Chain> {
  const chains = context.chains[call.environment];
  if (chains.size > 0) return chains;
  throw new Fault('forbidden', {
    code: 'ERROR',
    message: 'The crypto rail is not enabled in this environment.',
  });
}
