import type { LedgerDefinition } from '@countersign/proto/ledger';
import type { Handlers } from '@countersign/runtime/grpc-types';
import type { Context } from '../context.js';
import { raiseFences } from '../fence.js';

export function fence(context: Context): Handlers<LedgerDefinition>['Fence'] {
  return async ({ entities, revokedAgentIds }, call) => {
    await raiseFences(context, { entities, revokedAgentIds, call });
    return {};
  };
}
