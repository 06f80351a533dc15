import type { LedgerDefinition } from '@countersign/proto/ledger';
import type { Handlers } from '@countersign/runtime/grpc-types';
import { toProposal } from '../commit/proposal.js';
import { withWholeAnswer } from '../commit/whole-answer.js';
import type { Context } from '../context.js';
import { commitGivenAnswer } from '../given-answer.js';

export function commit(context: Context): Handlers<LedgerDefinition>['Commit'] {
  return async (request, call) => {
    if (request.answerGiven) return commitGivenAnswer(context, request, call);
    const committer = context.committers[call.environment];
    const proposal = toProposal(request, call, context);
    const response = await committer.commit(proposal, call.deadlineAt, call.trace);
    // Of a new answer the caller has all but the part that the ledger filled in.
    return response.answerMiddle === undefined ? withWholeAnswer(response, proposal) : response;
  };
}
