import type { LedgerDefinition } from '@countersign/proto/ledger';
import type { Handlers } from '@countersign/runtime/grpc-types';
import { toProposal } from '../commit/proposal.js';
import type { Context } from '../context.js';

export function commit(context: Context): Handlers<LedgerDefinition>['Commit'] {
  return async (request, call) => {
    const proposal = toProposal(request, call, context.clock());
    return context.committers[call.environment].commit(proposal, call.deadlineAt);
  };
}
