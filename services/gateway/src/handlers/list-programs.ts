import type { Handler } from '../handler.js';
import { pageReply, pageRequest } from '../pagination.js';
import type { pageQuerySchema } from '../schemas/list.js';
import { moneyNumber } from '../views/money.js';
import { programView } from '../views/program.js';

export const listPrograms: Handler<{ query: typeof pageQuerySchema }> = async (
  context,
  request,
) => {
  const { clientId } = request.caller;
  const list = { name: 'programs', request, of: [clientId] };
  const { programs, hasMore } = await context.clients.identity.call.ListPrograms(
    { clientId, page: pageRequest(context, list) },
    request.callOptions(),
  );
  return pageReply(context, list, {
    items: programs,
    hasMore,
    view: (program) => programView(program, request.environment, moneyNumber),
  });
};
