import { checkFraudTriage } from '../checks/fraud-triage.js';
import type { Handler } from '../handler.js';
import type { resolveCase as body } from '../schemas/case.js';
import type { casePath } from '../schemas/path.js';
import { caseView } from '../views/case.js';
import { moneyText } from '../views/money.js';

export const resolveCase: Handler<{ params: typeof casePath; body: typeof body }> = async (
  context,
  request,
) => {
  await checkFraudTriage(context, request);
  const resolved = await context.clients.decision.call.ResolveCase(
    {
      tenant: request.tenant,
      id: request.params.case_id,
      resolution: request.body.resolution,
    },
    request.callOptions(),
  );
  return { status: 200, body: caseView(resolved, moneyText) };
};
