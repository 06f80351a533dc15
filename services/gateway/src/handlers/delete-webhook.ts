import type { Handler } from '../handler.js';
import type { webhookPath } from '../schemas/path.js';

export const deleteWebhook: Handler<{ params: typeof webhookPath }> = async (context, request) => {
  await context.clients.notifier.call.DeleteWebhook(
    { tenant: request.tenant, id: request.params.webhook_id },
    request.callOptions(),
  );
  return { status: 204 };
};
