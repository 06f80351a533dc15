import type { Handler } from '../handler.js';
import type { mandatePath } from '../schemas/path.js';
import { budgetView } from '../views/mandate.js';

export const getMandateBudget: Handler<{ params: typeof mandatePath }> = async (
  context,
  request,
) => {
  const { identity, ledger } = context.clients;
  // The ledger asks nobody whose mandate it is: identity has answered that first.
  const mandate = await identity.call.GetMandate(
    { tenant: request.tenant, id: request.params.mandate_id },
    request.callOptions(),
  );
  const usage = await ledger.call.GetUsage({ mandateId: mandate.id }, request.callOptions());
  return { status: 200, body: budgetView(mandate, usage) };
};
