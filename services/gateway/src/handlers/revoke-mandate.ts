import type { Handler } from '../handler.js';
import type { mandatePath } from '../schemas/path.js';
import { runtimeMandateView } from '../views/mandate.js';
import { moneyText } from '../views/money.js';

/** A second revocation answers the same mandate. */
export const revokeMandate: Handler<{ params: typeof mandatePath }> = async (context, request) => {
  const mandate = await context.clients.identity.call.RevokeMandate(
    { tenant: request.tenant, id: request.params.mandate_id },
    request.callOptions(),
  );
  return { status: 200, body: runtimeMandateView(mandate, moneyText) };
};
