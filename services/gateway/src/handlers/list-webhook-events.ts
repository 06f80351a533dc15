import { webhookEventCatalog } from '@countersign/kernel/webhook-event';
import type { Handler } from '../handler.js';
import { eventCatalogView } from '../views/webhook.js';

export const listWebhookEvents: Handler = async () => ({
  status: 200,
  body: eventCatalogView(webhookEventCatalog),
});
