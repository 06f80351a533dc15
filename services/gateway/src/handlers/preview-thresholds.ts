import { somethingToUpdate } from '../checks/something-to-update.js';
import type { Handler } from '../handler.js';
import type { previewQuery, putThresholds } from '../schemas/threshold.js';
import { thresholdsPreviewView } from '../views/thresholds-preview.js';

/** Whose agent it is is settled by identity, as for the agent's log. */
export const previewThresholds: Handler<{
  query: typeof previewQuery;
  body: typeof putThresholds;
}> = async (context, request) => {
  somethingToUpdate(request.body);
  const { tenant, query } = request;
  const { agent_id: agentId, limit } = query;
  const changesJson = JSON.stringify(request.body);
  const options = request.callOptions();
  const [, preview] = await Promise.all([
    context.clients.identity.call.GetAgent({ tenant, id: agentId }, options),
    context.clients.decision.call.PreviewThresholds(
      { tenant, agentId, changesJson, limit },
      options,
    ),
  ]);
  return { status: 200, body: thresholdsPreviewView(preview) };
};
