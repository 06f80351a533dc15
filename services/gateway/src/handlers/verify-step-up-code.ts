import { callOptions } from '../call-options.js';
import type { Handler } from '../handler.js';
import type { authorizationPath } from '../schemas/path.js';
import type { verifyOtp as body } from '../schemas/step-up.js';
import { stepUpConfirmedView } from '../views/step-up.js';

export const verifyStepUpCode: Handler<{
  params: typeof authorizationPath;
  body: typeof body;
}> = async (context, request) => {
  const { tenant } = request;
  const authorizationId = request.params.authorization_id;
  const confirmed = await context.clients.decision.call.ConfirmStepUp(
    {
      tenant,
      authorizationId,
      confirmedBy: `otp:${tenant.principalId}`,
      code: request.body.code,
    },
    callOptions(context, request),
  );
  return { status: 200, body: stepUpConfirmedView(authorizationId, confirmed) };
};
