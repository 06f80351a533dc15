import { callOptions } from '../call-options.js';
import type { Handler } from '../handler.js';
import { parsedJson } from '../views/json.js';

export const getThresholds: Handler = async (context, request) => {
  const thresholds = await context.clients.decision.call.GetThresholds(
    { tenant: request.tenant },
    callOptions(context, request),
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
