import { isCallerMistake } from '@countersign/kernel/fault';
import { callOptions } from '../call-options.js';
import type { Context } from '../context.js';
import {
  type AskedPayment,
  answerDecided,
  answerSafely,
  firstAnswer,
  sharedName,
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
  const payment = { request, message: authorizeMessage(request), arrivedAt };
  const name = sharedName(payment);
  const leave = name === null ? null : context.failSafeJournal.underWay.enter(name);
  try {
    return await answer(context, payment, request);
  } finally {
    leave?.();
  }
};

async function answer(
  context: Context,
  payment: AskedPayment,
  request: RouteRequest,
): Promise<Reply> {
  if (request.unresolved) return answerSafely(context, payment, request.unresolved);
  const first = await firstAnswer(context, payment);
  if (first) return replayable({ answer: first.answer, replayed: true });
  try {
    const { call } = context.clients.decision;
    const decided = await call.Authorize(payment.message, callOptions(context, request));
    return replayable(answerDecided(context, payment, decided));
  } catch (error) {
    if (isCallerMistake(error)) throw error;
    return answerSafely(context, payment, error);
  }
}

function replayable({ answer, replayed }: { answer: string; replayed: boolean }): Reply {
  return jsonReply(200, answer, replayed ? { 'Idempotent-Replayed': 'true' } : {});
}
