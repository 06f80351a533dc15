import type { Handler } from '../handler.js';
import { jsonReply } from '../reply.js';
import type { authorizationPath } from '../schemas/path.js';

export const explainAuthorization: Handler<{ params: typeof authorizationPath }> = async (
  context,
  request,
) => {
  const { explanationJson } = await context.clients.decision.call.ExplainAuthorization(
    { tenant: request.tenant, authorizationId: request.params.authorization_id },
    request.callOptions(),
  );
  return jsonReply(200, explanationJson);
};
