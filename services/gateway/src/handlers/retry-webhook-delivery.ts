import type { Handler } from '../handler.js';
import type { deliveryPath } from '../schemas/path.js';
import { deliveryView } from '../views/webhook.js';

export const retryWebhookDelivery: Handler<{
  params: typeof deliveryPath;
}> = async (context, request) => {
  const delivery = await context.clients.notifier.call.RetryDelivery(
    {
      tenant: request.tenant,
      webhookId: request.params.webhook_id,
      deliveryId: request.params.delivery_id,
    },
    request.callOptions(),
  );
  return { status: 202, body: deliveryView(delivery) };
};
