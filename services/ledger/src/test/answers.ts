import { answerMarkers } from '@countersign/kernel/answer-marker';
import type { CommitRequest, CommitResponse } from '@countersign/proto/ledger';

/** Contains an amount, which the database inserts. */
export const reasonDetail = `100 % sure, "${answerMarkers.dailyAmountRemaining}" left`;

/** An answer with the counter markers of kernel/answer, whose reason contains an amount. */
export function answerTemplate(authorizationId: string, decision: string): string {
  const { dailyAmountUsed, dailyCountUsed } = answerMarkers;
  const { monthlyAmountUsed, monthlyCountUsed } = answerMarkers;
  return (
    `{"authorization_id":"${authorizationId}","decision":"${decision}",` +
    `"reason_detail":${JSON.stringify(reasonDetail)},"attestation":null,` +
    `"daily_amount_used":"${dailyAmountUsed}","monthly_amount_used":"${monthlyAmountUsed}",` +
    `"daily_count_used":${dailyCountUsed},"monthly_count_used":${monthlyCountUsed}}`
  );
}

/** The response with the whole answer: of a new one the ledger returns only the middle. */
export function whole(
  { answerHead, answerTail }: CommitRequest,
  { answerMiddle: middle, ...response }: CommitResponse,
): CommitResponse {
  if (middle === undefined) return response;
  return { ...response, answer: `${answerHead}${middle}${answerTail}` };
}

/** Of an answer that consists of its middle alone. */
export function decisionOf({ answer, answerMiddle }: CommitResponse): string {
  return (JSON.parse(answer ?? answerMiddle ?? '{}') as { decision?: string }).decision ?? '';
}
