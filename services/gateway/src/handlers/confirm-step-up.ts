import type { Handler } from '../handler.js';
import type { authorizationPath } from '../schemas/path.js';
import { stepUpConfirmedView } from '../views/step-up.js';

export const confirmStepUp: Handler<{
  params: typeof authorizationPath;
}> = async (context, request) => {
  const { tenant } = request;
  const authorizationId = request.params.authorization_id;
  const confirmed = await context.clients.decision.call.ConfirmStepUp(
    { tenant, authorizationId, confirmedBy: tenant.principalId },
    request.callOptions(),
  );
  return { status: 200, body: stepUpConfirmedView(authorizationId, confirmed) };
};
