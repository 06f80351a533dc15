import type { LedgerDefinition } from '@countersign/proto/ledger';
import type { Handlers } from '@countersign/runtime/grpc-types';
import { withWholeAnswer } from '../commit/duplicates.js';
import { toProposal } from '../commit/proposal.js';
import type { Context } from '../context.js';
import { commitGivenAnswer } from '../given-answer.js';

export function commit(context: Context): Handlers<LedgerDefinition>['Commit'] {
  return async (request, call) => {
    if (request.answerGiven) return commitGivenAnswer(context, request, call);
    const committer = context.committers[call.environment];
    const proposal = toProposal(request, call, context);
    const response = await committer.commit(proposal, call.deadlineAt, call.trace);
    // Callers that support it get only the part of the answer that the ledger filled in.
    const inParts = request.answerInParts && response.answerMiddle !== undefined;
    return inParts ? response : withWholeAnswer(response, proposal);
  };
}
