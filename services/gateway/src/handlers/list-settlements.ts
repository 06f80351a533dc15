import { callOptions } from '../call-options.js';
import type { Handler } from '../handler.js';
import type { authorizationPath } from '../schemas/path.js';
import { settlementView } from '../views/settlement.js';

export const listSettlements: Handler<{ params: typeof authorizationPath }> = async (
  context,
  request,
) => {
  const { settlements } = await context.clients.settlement.call.ListSettlements(
    { tenant: request.tenant, authorizationId: request.params.authorization_id },
    callOptions(context, request),
  );
  return { status: 200, body: settlements.map(settlementView) };
};
