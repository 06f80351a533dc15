import type { LedgerDefinition } from '@countersign/proto/ledger';
import type { Handlers } from '@countersign/runtime/grpc-types';
import { toProposal } from '../commit/proposal.js';
import type { Context } from '../context.js';
import { commitGivenAnswer } from '../given-answer.js';

export function commit(context: Context): Handlers<LedgerDefinition>['Commit'] {
  return async (request, call) => {
    if (request.answerGiven) return commitGivenAnswer(context, request, call);
    const proposal = toProposal(request, call, context.clock());
    return context.committers[call.environment].commit(proposal, call.deadlineAt);
  };
}
