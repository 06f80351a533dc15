import type { Handler } from '../handler.js';
import type { authorizationPath } from '../schemas/path.js';
import { settlementView } from '../views/settlement.js';

export const listSettlements: Handler<{ params: typeof authorizationPath }> = async (
  context,
  request,
) => {
  const { settlements } = await context.clients.settlement.call.ListSettlements(
    { tenant: request.tenant, authorizationId: request.params.authorization_id },
    request.callOptions(),
  );
  return { status: 200, body: settlements.map(settlementView) };
};
