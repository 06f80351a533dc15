import { callOptions } from '../call-options.js';
import type { Handler } from '../handler.js';
import { authorizeMessage } from '../messages/payment.js';
import { jsonReply } from '../reply.js';
import type { authorize as body } from '../schemas/payment.js';

/**
 * The same judgement with nothing reserved or recorded. Nothing hangs on its answer, so unlike the
 * real one it says when it cannot be given.
 */
export const simulateAuthorization: Handler<{ body: typeof body }> = async (context, request) => {
  if (request.unresolved) throw request.unresolved;
  const { answer } = await context.clients.decision.call.Simulate(
    authorizeMessage(request),
    callOptions(context, request),
  );
  return jsonReply(200, answer);
};
