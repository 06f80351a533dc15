import type { Handler } from '../handler.js';
import { pageReply, pageRequest } from '../pagination.js';
import type { pageQuerySchema } from '../schemas/list.js';
import type { webhookPath } from '../schemas/path.js';
import { deliveryView } from '../views/webhook.js';

export const listWebhookDeliveries: Handler<{
  params: typeof webhookPath;
  query: typeof pageQuerySchema;
}> = async (context, request) => {
  const { tenant } = request;
  const webhookId = request.params.webhook_id;
  const list = { name: 'deliveries', request, of: [tenant.principalId, webhookId] };
  const { deliveries, hasMore } = await context.clients.notifier.call.ListDeliveries(
    { tenant, webhookId, page: pageRequest(context, list) },
    request.callOptions(),
  );
  return pageReply(context, list, {
    items: deliveries,
    hasMore,
    view: deliveryView,
  });
};
