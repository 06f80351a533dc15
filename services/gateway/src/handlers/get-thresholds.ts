import type { Handler } from '../handler.js';
import { parsedJson } from '../views/json.js';

export const getThresholds: Handler = async (context, request) => {
  const thresholds = await context.clients.decision.call.GetThresholds(
    { tenant: request.tenant },
    request.callOptions(),
  );
  return {
    status: 200,
    body: {
      thresholds: parsedJson(thresholds.resolvedJson, {}),
      overrides: parsedJson(thresholds.overridesJson, {}),
      platform_defaults: parsedJson(thresholds.defaultsJson, {}),
    },
  };
};
