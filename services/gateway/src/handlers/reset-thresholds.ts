import type { Handler } from '../handler.js';

export const resetThresholds: Handler = async (context, request) => {
  await context.clients.decision.call.ResetThresholds(
    { tenant: request.tenant },
    request.callOptions(),
  );
  return { status: 200, body: { status: 'reset', message: 'All overrides are removed.' } };
};
