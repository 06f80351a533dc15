import type { Handler } from '../handler.js';
import { authorizeMessage } from '../messages/payment.js';
import { jsonReply } from '../reply.js';
import type { authorize as body } from '../schemas/payment.js';

/**
 * The same judgement with nothing reserved or recorded. Nothing hangs on its answer, so unlike the
 * real one it says when it cannot be given.
 */
export const simulateAuthorization: Handler<{ body: typeof body }> = async (context, request) => {
  const { answer, claimHolds } = await context.clients.decision.call.Simulate(
    authorizeMessage(request),
    request.callOptions(),
  );
  if (claimHolds) request.claim?.holds();
  return jsonReply(200, answer);
};
