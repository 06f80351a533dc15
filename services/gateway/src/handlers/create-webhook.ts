import { newId } from '@countersign/kernel/id';
import { checkFraudEvents, eventTypeFields } from '../checks/fraud-triage.js';
import type { Handler } from '../handler.js';
import { present } from '../present.js';
import type { createWebhook as body } from '../schemas/webhook.js';
import { webhookView } from '../views/webhook.js';

export const createWebhook: Handler<{ body: typeof body }> = async (context, request) => {
  const { url, event_types: eventTypes, description } = request.body;
  await checkFraudEvents(context, request, eventTypeFields(eventTypes));
  const { webhook, signingSecret } = await context.clients.notifier.call.CreateWebhook(
    { id: newId('webhook'), tenant: request.tenant, url, eventTypes, description },
    request.callOptions(),
  );
  return {
    status: 201,
    body: { webhook: webhookView(present(webhook)), signing_secret: signingSecret },
  };
};
