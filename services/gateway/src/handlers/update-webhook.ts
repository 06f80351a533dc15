import { checkFraudEvents, eventTypeFields } from '../checks/fraud-triage.js';
import { somethingToUpdate } from '../checks/something-to-update.js';
import type { Handler } from '../handler.js';
import type { webhookPath } from '../schemas/path.js';
import type { updateWebhook as body } from '../schemas/webhook.js';
import { webhookView } from '../views/webhook.js';

export const updateWebhook: Handler<{ params: typeof webhookPath; body: typeof body }> = async (
  context,
  request,
) => {
  const { url, event_types: eventTypes, active, description } = request.body;
  somethingToUpdate(request.body);
  await checkFraudEvents(context, request, eventTypeFields(eventTypes ?? []));
  const webhook = await context.clients.notifier.call.UpdateWebhook(
    {
      tenant: request.tenant,
      id: request.params.webhook_id,
      url,
      eventTypes,
      active,
      description: description ?? undefined,
      clearDescription: description === null,
    },
    request.callOptions(),
  );
  return { status: 200, body: webhookView(webhook) };
};
