import { cannotApply } from '../checks/step-up-refusal.js';
import type { Handler } from '../handler.js';
import type { authorizationPath } from '../schemas/path.js';
import type { denyStepUp as body } from '../schemas/step-up.js';
import { stepUpDeniedView } from '../views/step-up.js';

export const denyStepUp: Handler<{
  params: typeof authorizationPath;
  body: typeof body;
}> = async (context, request) => {
  const { tenant } = request;
  const authorizationId = request.params.authorization_id;
  const { outcome } = await context.clients.ledger.call.DenyStepUp(
    { tenant, authorizationId, deniedBy: tenant.principalId, reason: request.body.reason },
    request.callOptions(),
  );
  if (outcome !== 'denied') throw cannotApply(outcome);
  return { status: 200, body: stepUpDeniedView(authorizationId, tenant.principalId) };
};
