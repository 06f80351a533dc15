import { isCallerMistake } from '@countersign/kernel/fault';
import { callOptions } from '../call-options.js';
import { answerSafely, firstAnswer } from '../fail-safe/answer.js';
import type { Handler } from '../handler.js';
import { authorizeMessage } from '../messages/payment.js';
import { jsonReply } from '../reply.js';
import type { authorize as body } from '../schemas/payment.js';

/**
 * Relays the answer that the decision service gives, byte for byte. A mistake of the caller is told
 * as such; anything else that goes wrong is answered by a decision too, the safe one.
 */
export const authorize: Handler<{ body: typeof body }> = async (context, request) => {
  const arrivedAt = context.clock();
  const message = authorizeMessage(request);
  const payment = { request, message, arrivedAt };
  if (request.unresolved) return answerSafely(context, payment, request.unresolved);
  const first = await firstAnswer(context, payment);
  if (first) return replayable(first.answer, true);
  try {
    const { answer, replayed } = await context.clients.decision.call.Authorize(
      message,
      callOptions(context, request),
    );
    return replayable(answer, replayed);
  } catch (error) {
    if (isCallerMistake(error)) throw error;
    return answerSafely(context, payment, error);
  }
};

function replayable(answer: string, replayed: boolean) {
  return jsonReply(200, answer, replayed ? { 'Idempotent-Replayed': 'true' } : {});
}
