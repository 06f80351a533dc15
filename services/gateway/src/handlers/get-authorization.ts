import type { Handler } from '../handler.js';
import type { authorizationPath } from '../schemas/path.js';
import { logEntryView, transferView } from '../views/authorization.js';
import { moneyText } from '../views/money.js';

export const getAuthorization: Handler<{ params: typeof authorizationPath }> = async (
  context,
  request,
) => {
  const entry = await context.clients.ledger.call.GetAuthorization(
    { tenant: request.tenant, authorizationId: request.params.authorization_id },
    request.callOptions(),
  );
  const body = { ...logEntryView(entry, moneyText), crypto: transferView(entry.factsJson) };
  return { status: 200, body };
};
