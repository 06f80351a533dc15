import type { Handler } from '../handler.js';
import { pageReply, pageRequest } from '../pagination.js';
import type { pageQuerySchema } from '../schemas/list.js';
import { webhookView } from '../views/webhook.js';

export const listWebhooks: Handler<{ query: typeof pageQuerySchema }> = async (
  context,
  request,
) => {
  const { tenant } = request;
  const list = { name: 'webhooks', request, of: [tenant.principalId] };
  const { webhooks, hasMore } = await context.clients.notifier.call.ListWebhooks(
    { tenant, page: pageRequest(context, list) },
    request.callOptions(),
  );
  return pageReply(context, list, {
    items: webhooks,
    hasMore,
    view: webhookView,
  });
};
