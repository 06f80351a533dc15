import { somethingToUpdate } from '../checks/something-to-update.js';
import type { Handler } from '../handler.js';
import type { putThresholds as body } from '../schemas/threshold.js';
import { parsedJson } from '../views/json.js';

/** What must hold between fields is judged by their owner, against the resolved values. */
export const putThresholds: Handler<{ body: typeof body }> = async (context, request) => {
  somethingToUpdate(request.body);
  const { fieldsChanged, thresholds } = await context.clients.decision.call.PutThresholds(
    { tenant: request.tenant, changesJson: JSON.stringify(request.body) },
    request.callOptions(),
  );
  return {
    status: 200,
    body: {
      status: 'updated',
      fields_changed: fieldsChanged,
      effective_thresholds: parsedJson(thresholds?.resolvedJson, {}),
    },
  };
};
