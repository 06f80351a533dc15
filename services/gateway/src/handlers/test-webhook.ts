import { checkFraudEvents } from '../checks/fraud-triage.js';
import type { Handler } from '../handler.js';
import type { webhookPath } from '../schemas/path.js';
import type { testWebhookQuery } from '../schemas/webhook.js';

export const testWebhook: Handler<{
  params: typeof webhookPath;
  query: typeof testWebhookQuery;
}> = async (context, request) => {
  const eventType = request.query.event_type;
  await checkFraudEvents(context, request, { event_type: eventType });
  await context.clients.notifier.call.TestWebhook(
    { tenant: request.tenant, id: request.params.webhook_id, eventType },
    request.callOptions(),
  );
  const message = `A sample of ${eventType} is on its way to the webhook.`;
  return { status: 200, body: { status: 'sent', event_type: eventType, message } };
};
