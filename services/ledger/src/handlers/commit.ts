import type { LedgerDefinition } from '@countersign/proto/ledger';
import type { Handlers } from '@countersign/runtime/grpc-types';
import { toProposal } from '../commit/proposal.js';
import type { Context } from '../context.js';
import { commitGivenAnswer } from '../given-answer.js';

export function commit(context: Context): Handlers<LedgerDefinition>['Commit'] {
  return async (request, call) => {
    if (request.answerGiven) return commitGivenAnswer(context, request, call);
    const committer = context.committers[call.environment];
    const proposal = toProposal(request, call, context.clock());
    const { basis } = proposal;
    if (basis?.body === null && !committer.knows(basis.hash)) {
      return { outcome: 'basis_unknown', limitCodes: [], staleEntities: [] };
    }
    return committer.commit(proposal, call.deadlineAt);
  };
}
