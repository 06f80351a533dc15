import { createWebhook } from '../handlers/create-webhook.js';
import { deleteWebhook } from '../handlers/delete-webhook.js';
import { getWebhook } from '../handlers/get-webhook.js';
import { listWebhookDeliveries } from '../handlers/list-webhook-deliveries.js';
import { listWebhookEvents } from '../handlers/list-webhook-events.js';
import { listWebhooks } from '../handlers/list-webhooks.js';
import { retryWebhookDelivery } from '../handlers/retry-webhook-delivery.js';
import { rotateWebhookSecret } from '../handlers/rotate-webhook-secret.js';
import { testWebhook } from '../handlers/test-webhook.js';
import { updateWebhook } from '../handlers/update-webhook.js';
import { type AnyRoute, route } from '../route.js';
import { pageQuerySchema } from '../schemas/list.js';
import { deliveryPath, webhookPath } from '../schemas/path.js';
import * as webhooks from '../schemas/webhook.js';

const tag = 'Webhooks';
const webhooksTable = { plane: 'runtime', scope: 'webhooks', tag } as const;

export const webhookRoutes: AnyRoute[] = [
  route({
    ...webhooksTable,
    method: 'POST',
    path: '/api/v1/webhooks',
    rateGroup: 'write',
    operation: 'createWebhook',
    summary: 'Register a webhook; its signing secret is shown once',
    body: webhooks.createWebhook,
    responses: { 201: webhooks.createdWebhook },
    handler: createWebhook,
  }),
  route({
    ...webhooksTable,
    method: 'GET',
    path: '/api/v1/webhooks',
    rateGroup: 'read',
    operation: 'listWebhooks',
    summary: 'List the webhooks of the acting Principal',
    query: pageQuerySchema,
    responses: { 200: webhooks.webhookPage },
    handler: listWebhooks,
  }),
  route({
    method: 'GET',
    path: '/api/v1/webhooks/events',
    plane: 'public',
    scope: null,
    rateGroup: 'none',
    operation: 'listWebhookEvents',
    summary: 'The catalog of events, each with a sample',
    tag,
    responses: { 200: webhooks.eventCatalog },
    handler: listWebhookEvents,
  }),
  route({
    ...webhooksTable,
    method: 'GET',
    path: '/api/v1/webhooks/:webhook_id',
    rateGroup: 'read',
    operation: 'getWebhook',
    summary: 'Read a webhook',
    params: webhookPath,
    responses: { 200: webhooks.webhook },
    handler: getWebhook,
  }),
  route({
    ...webhooksTable,
    method: 'PATCH',
    path: '/api/v1/webhooks/:webhook_id',
    rateGroup: 'write',
    operation: 'updateWebhook',
    summary: 'Change a webhook, or switch it on again',
    params: webhookPath,
    body: webhooks.updateWebhook,
    responses: { 200: webhooks.webhook },
    handler: updateWebhook,
  }),
  route({
    ...webhooksTable,
    method: 'DELETE',
    path: '/api/v1/webhooks/:webhook_id',
    rateGroup: 'write',
    operation: 'deleteWebhook',
    summary: 'Delete a webhook',
    params: webhookPath,
    responses: { 204: null },
    handler: deleteWebhook,
  }),
  route({
    ...webhooksTable,
    method: 'POST',
    path: '/api/v1/webhooks/:webhook_id/test',
    rateGroup: 'write',
    operation: 'testWebhook',
    summary: 'Send a sample event to an active webhook',
    params: webhookPath,
    query: webhooks.testWebhookQuery,
    responses: { 200: webhooks.testedWebhook },
    handler: testWebhook,
  }),
  route({
    ...webhooksTable,
    method: 'POST',
    path: '/api/v1/webhooks/:webhook_id/rotate-secret',
    rateGroup: 'write',
    operation: 'rotateWebhookSecret',
    summary: 'Make a new signing secret; the old one also signs for 24 hours',
    params: webhookPath,
    responses: { 200: webhooks.createdWebhook },
    handler: rotateWebhookSecret,
  }),
  route({
    ...webhooksTable,
    method: 'GET',
    path: '/api/v1/webhooks/:webhook_id/deliveries',
    rateGroup: 'read',
    operation: 'listWebhookDeliveries',
    summary: 'List the deliveries of a webhook, newest first',
    params: webhookPath,
    query: pageQuerySchema,
    responses: { 200: webhooks.deliveryPage },
    handler: listWebhookDeliveries,
  }),
  route({
    ...webhooksTable,
    method: 'POST',
    path: '/api/v1/webhooks/:webhook_id/deliveries/:delivery_id/retry',
    rateGroup: 'write',
    operation: 'retryWebhookDelivery',
    summary: 'Deliver an event once more',
    params: deliveryPath,
    responses: { 202: webhooks.delivery },
    handler: retryWebhookDelivery,
  }),
];
