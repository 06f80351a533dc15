import { isCallerMistake } from '@countersign/kernel/fault';
import type { TraceSpan } from '@countersign/runtime/trace';
import type { Context } from '../context.js';
import { answerSafely, answerUndecided } from '../fail-safe/answer.js';
import type { AskedPayment } from '../fail-safe/asked-payment.js';
import type { Told } from '../fail-safe/keys-in-flight.js';
import { transactionOnRecord, turnOf, unrecordedAnswer } from '../fail-safe/unrecorded-answer.js';
import type { Handler } from '../handler.js';
import { authorizeMessage } from '../messages/payment.js';
import { jsonReply } from '../reply.js';
import type { Reply, RouteRequest } from '../request.js';
import type { authorize as body } from '../schemas/payment.js';

/**
 * Relays the answer of the decision service byte for byte. A caller's mistake is an error; any
 * other failure is answered with a decision as well, the fail-safe DECLINE.
 */
export const authorize: Handler<{ body: typeof body }> = async (context, request) => {
  const arrivedAt = context.clock();
  const asked = { request, message: authorizeMessage(request), arrivedAt };
  const waiting = request.trace?.child('idempotency');
  const reply = await context.keysInFlight.inTurn(turnOf(context, asked), () => {
    waiting?.end();
    return answer(context, asked, request);
  });
  // Not called by `inTurn` where this request repeats another or its time ran out.
  waiting?.end();
  const answered = reply ?? answerUndecided(context, asked);
  if (request.trace) traceDecision(request.trace, answered);
  return answered;
};

/** Parses the answer again: only traced requests pay for that. */
function traceDecision(trace: TraceSpan, { text = '{}', headers }: Reply): void {
  const { authorization_id, decision, reason_codes } = JSON.parse(text);
  trace.set({
    'countersign.authorization.id': authorization_id,
    'countersign.decision': decision,
    'countersign.reason_codes': reason_codes,
    'countersign.replayed': headers?.['Idempotent-Replayed'] === 'true',
  });
}

async function answer(context: Context, asked: AskedPayment, request: RouteRequest): Promise<Told> {
  const given = await unrecordedAnswer(context, asked);
  if (given) return { reply: jsonReply(200, given.answer), isOnRecord: false };
  try {
    await transactionOnRecord(context, asked);
    const { call } = context.clients.decision;
    const response = await call.Authorize(asked.message, request.callOptions());
    if (response.claimHolds) request.claim?.holds();
    return { reply: relayed(response), isOnRecord: true };
  } catch (error) {
    if (isCallerMistake(error)) throw error;
    await request.claim?.settle(request.deadlineAt - context.clock());
    return { reply: await answerSafely(context, asked, error), isOnRecord: false };
  }
}

function relayed({ answer, replayed }: { answer: string; replayed: boolean }): Reply {
  return jsonReply(200, answer, replayed ? { 'Idempotent-Replayed': 'true' } : {});
}
