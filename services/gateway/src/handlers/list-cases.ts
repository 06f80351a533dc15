import { checkFraudTriage } from '../checks/fraud-triage.js';
import type { Handler } from '../handler.js';
import { pageReply, pageRequest } from '../pagination.js';
import type { pageQuerySchema } from '../schemas/list.js';
import { caseView } from '../views/case.js';
import { moneyNumber } from '../views/money.js';

export const listCases: Handler<{ query: typeof pageQuerySchema }> = async (context, request) => {
  const { tenant } = request;
  await checkFraudTriage(context, request);
  const list = { name: 'cases', request, of: [tenant.principalId] };
  const { cases, hasMore } = await context.clients.decision.call.ListCases(
    { tenant, page: pageRequest(context, list) },
    request.callOptions(),
  );
  return pageReply(context, list, {
    items: cases,
    hasMore,
    view: (fraudCase) => caseView(fraudCase, moneyNumber),
  });
};
