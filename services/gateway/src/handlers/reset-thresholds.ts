import { callOptions } from '../call-options.js';
import type { Handler } from '../handler.js';

export const resetThresholds: Handler = async (context, request) => {
  await context.clients.decision.call.ResetThresholds(
    { tenant: request.tenant },
    callOptions(context, request),
  );
  return { status: 200, body: { status: 'reset', message: 'All overrides are removed.' } };
};
