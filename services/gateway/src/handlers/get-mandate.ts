import type { Handler } from '../handler.js';
import type { mandatePath } from '../schemas/path.js';
import { runtimeMandateView } from '../views/mandate.js';
import { moneyText } from '../views/money.js';

export const getMandate: Handler<{ params: typeof mandatePath }> = async (context, request) => {
  const mandate = await context.clients.identity.call.GetMandate(
    { tenant: request.tenant, id: request.params.mandate_id },
    request.callOptions(),
  );
  return { status: 200, body: runtimeMandateView(mandate, moneyText) };
};
