import { checkFraudTriage } from '../checks/fraud-triage.js';
import type { Handler } from '../handler.js';
import type { casePath } from '../schemas/path.js';
import { caseView } from '../views/case.js';
import { moneyText } from '../views/money.js';

export const getCase: Handler<{ params: typeof casePath }> = async (context, request) => {
  await checkFraudTriage(context, request);
  const found = await context.clients.decision.call.GetCase(
    { tenant: request.tenant, id: request.params.case_id },
    request.callOptions(),
  );
  return { status: 200, body: caseView(found, moneyText) };
};
