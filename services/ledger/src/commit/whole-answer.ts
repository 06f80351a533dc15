import { restoredAnswer } from '@countersign/kernel/stored-answer';
import type { CommitResponse } from '@countersign/proto/ledger';
import type { Proposal } from './proposal.js';

/** The response with the whole answer, where it has a stored one or the middle of a new one. */
export function withWholeAnswer(
  { answerMiddle: middle, ...response }: CommitResponse,
  { answerWith }: Pick<Proposal, 'answerWith'>,
): CommitResponse {
  const { answer: stored } = response;
  if (middle !== undefined) return { ...response, answer: answerWith(middle) };
  return stored === undefined ? response : { ...response, answer: restoredAnswer(stored) };
}
