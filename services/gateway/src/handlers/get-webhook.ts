import type { Handler } from '../handler.js';
import type { webhookPath } from '../schemas/path.js';
import { webhookView } from '../views/webhook.js';

export const getWebhook: Handler<{ params: typeof webhookPath }> = async (context, request) => {
  const webhook = await context.clients.notifier.call.GetWebhook(
    { tenant: request.tenant, id: request.params.webhook_id },
    request.callOptions(),
  );
  return { status: 200, body: webhookView(webhook) };
};
