import type { AuthorizationEntry } from '@countersign/proto/ledger';
import { assertPending, cannotApply } from '../checks/step-up-refusal.js';
import type { Context } from '../context.js';
import type { Handler } from '../handler.js';
import type { RouteRequest } from '../request.js';
import type { authorizationPath } from '../schemas/path.js';
import type { verifyOtp as body } from '../schemas/step-up.js';
import { stepUpConfirmedView } from '../views/step-up.js';

/** The notifier says whether the code is right, and the decision service what that confirms. */
export const verifyStepUpCode: Handler<{
  params: typeof authorizationPath;
  body: typeof body;
}> = async (context, request) => {
  const { tenant } = request;
  const authorizationId = request.params.authorization_id;
  const answeredBy = `otp:${tenant.principalId}`;
  // Before the code is looked at: whose challenge it is, so that nobody uses up another's tries.
  const entry = await context.clients.ledger.call.GetAuthorization(
    { tenant, authorizationId },
    request.callOptions(),
  );
  assertPending(entry);
  const { outcome } = await context.clients.notifier.call.VerifyCode(
    { ...challengeOf(entry), tenant, authorizationId, code: request.body.code },
    request.callOptions(),
  );
  if (outcome === 'exhausted') await deny(context, request, { authorizationId, answeredBy });
  if (outcome !== 'correct') throw cannotApply(outcome);
  const confirmed = await context.clients.decision.call.ConfirmStepUp(
    { tenant, authorizationId, confirmedBy: answeredBy },
    request.callOptions(),
  );
  return { status: 200, body: stepUpConfirmedView(authorizationId, confirmed) };
};

/** Safe to repeat, and nothing is left to deny where somebody has answered in the meantime. */
async function deny(
  context: Context,
  request: Pick<RouteRequest, 'tenant' | 'callOptions'>,
  { authorizationId, answeredBy }: { authorizationId: string; answeredBy: string },
): Promise<void> {
  const reason = 'The one-time code was wrong too often.';
  await context.clients.ledger.call.DenyStepUp(
    { tenant: request.tenant, authorizationId, deniedBy: answeredBy, reason },
    request.callOptions(),
  );
}

function challengeOf({ stepUp, amount, currency }: AuthorizationEntry) {
  return { expiresAt: stepUp?.expiresAt, amount, currency };
}
