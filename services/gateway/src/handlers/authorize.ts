import { isCallerMistake } from '@countersign/kernel/fault';
import type { TraceSpan } from '@countersign/runtime/trace';
import { callOptions } from '../call-options.js';
import type { Context } from '../context.js';
import {
  type AskedPayment,
  answerSafely,
  answerUnheard,
  firstAnswer,
  transactionOnRecord,
  turnOf,
} from '../fail-safe/answer.js';
import type { Handler } from '../handler.js';
import { authorizeMessage } from '../messages/payment.js';
import { jsonReply } from '../reply.js';
import type { Reply, RouteRequest } from '../request.js';
import type { authorize as body } from '../schemas/payment.js';

/**
 * Relays the answer that the decision service gives, byte for byte. A mistake of the caller is told
 * as such; anything else that goes wrong is answered by a decision too, the safe one.
 */
export const authorize: Handler<{ body: typeof body }> = async (context, request) => {
  const arrivedAt = context.clock();
  const asked = { request, message: authorizeMessage(request), arrivedAt };
  const waiting = request.trace?.child('idempotency');
  const reply = await context.keysUnderWay.inTurn(turnOf(context, asked), () => {
    waiting?.end();
    return answer(context, asked, request);
  });
  // Nothing was decided for it: it was told what another of its key was told, or its time was up.
  waiting?.end();
  const answered = reply ?? answerUnheard(context, asked);
  if (request.trace) tellDecision(request.trace, answered);
  return answered;
};

/** Of an answer in its bytes; it is read only where somebody looks at the trace. */
function tellDecision(trace: TraceSpan, { text = '{}', headers }: Reply): void {
  const { authorization_id, decision, reason_codes } = JSON.parse(text);
  trace.set({
    'countersign.authorization.id': authorization_id,
    'countersign.decision': decision,
    'countersign.reason_codes': reason_codes,
    'countersign.replayed': headers?.['Idempotent-Replayed'] === 'true',
  });
}

async function answer(
  context: Context,
  asked: AskedPayment,
  request: RouteRequest,
): Promise<Reply> {
  const first = await firstAnswer(context, asked);
  if (first) return relayed({ answer: first.answer, replayed: true });
  try {
    await transactionOnRecord(context, asked);
    const { call } = context.clients.decision;
    const response = await call.Authorize(asked.message, callOptions(context, request));
    if (response.claimHolds) request.claim?.holds();
    return relayed(response);
  } catch (error) {
    if (isCallerMistake(error)) throw error;
    await request.claim?.settle(request.deadlineAt - context.clock());
    return answerSafely(context, asked, error);
  }
}

function relayed({ answer, replayed }: { answer: string; replayed: boolean }): Reply {
  return jsonReply(200, answer, replayed ? { 'Idempotent-Replayed': 'true' } : {});
}
