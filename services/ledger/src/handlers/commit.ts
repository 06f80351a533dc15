import { restoredAnswer } from '@countersign/kernel/stored-answer';
import type { CommitRequest, CommitResponse, LedgerDefinition } from '@countersign/proto/ledger';
import type { Handlers } from '@countersign/runtime/grpc-types';
import { toProposal } from '../commit/proposal.js';
import type { Context } from '../context.js';
import { commitGivenAnswer } from '../given-answer.js';

export function commit(context: Context): Handlers<LedgerDefinition>['Commit'] {
  return async (request, call) => {
    if (request.answerGiven) return restored(await commitGivenAnswer(context, request, call));
    const committer = context.committers[call.environment];
    const proposal = toProposal(request, call, context);
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
  const inParts = answerInParts && response.outcome === 'recorded';
  return inParts
    ? { ...response, answer: undefined }
    : restored({ ...response, answerMiddle: undefined });
}

function restored({ answer, ...response }: CommitResponse): CommitResponse {
  return answer === undefined ? response : { ...response, answer: restoredAnswer(answer) };
}
