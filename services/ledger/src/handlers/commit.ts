import type { CommitRequest, CommitResponse, LedgerDefinition } from '@countersign/proto/ledger';
import type { Handlers } from '@countersign/runtime/grpc-types';
import { outcomeOnly } from '../commit/pending.js';
import { toProposal } from '../commit/proposal.js';
import type { Context } from '../context.js';
import { commitGivenAnswer } from '../given-answer.js';

export function commit(context: Context): Handlers<LedgerDefinition>['Commit'] {
  return async (request, call) => {
    if (request.answerGiven) return commitGivenAnswer(context, request, call);
    const committer = context.committers[call.environment];
    const proposal = toProposal(request, call, context);
    if (committer.lacksBasis(proposal)) {
      return outcomeOnly('basis_unknown');
    }
    return withRequestedParts(
      request,
      await committer.commit(proposal, call.deadlineAt, call.trace),
    );
  };
}

/** Callers that support it get only the part of the answer that the ledger filled in. */
function withRequestedParts(
  { answerInParts }: CommitRequest,
  response: CommitResponse,
): CommitResponse {
  const { answer, answerMiddle } = response;
  if (answer === undefined || answerMiddle === undefined) return response;
  const inParts = answerInParts && response.outcome === 'recorded';
  return inParts ? { ...response, answer: undefined } : { ...response, answerMiddle: undefined };
}
