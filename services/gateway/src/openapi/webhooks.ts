import { webhookEventCatalog } from '@countersign/kernel/webhook-event';
import { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi';
import { type AnnouncedEvent, announcedEvents } from '../schemas/webhook-event.js';
import { eventsTag } from './guide.js';

const text = (description: string, example: string) =>
  z.string().meta({ description, examples: [example] });

/** What every delivery has, beside the usual headers. */
const header = z.object({
  'X-Service-Event': text('The event type.', 'authorization.decline'),
  'X-Service-Signature': text(
    'HMAC-SHA256 of the raw body with the signing secret of the webhook. For 24 hours after a ' +
      'rotation there are two values, separated by a comma.',
    `sha256=${'9f86d081884c7d65'.repeat(4)}`,
  ),
  'X-Service-Delivery-Attempt': text('1 for the first attempt.', '1'),
  'User-Agent': text('Always this.', 'Service-Webhook/1.0'),
});

const responses = {
  '2XX': {
    description: 'Delivered. After 408, 423, 425, 429, a 5xx or no answer it is sent again.',
  },
};

/** Each event as a request that Countersign makes to the URL of a webhook. */
export function webhookOperations(): ZodOpenApiPathsObject {
  return Object.fromEntries(announcedEvents.map((event) => [event.name, { post: post(event) }]));
}

function post({ name, pascalName, type, schema }: AnnouncedEvent): ZodOpenApiOperationObject {
  const entry = webhookEventCatalog.find((each) => each.type === type);
  const example = { ...entry?.samplePayload, event: name };
  return {
    operationId: `on${pascalName}`,
    summary: name,
    description: name === type ? entry?.description : `The older name of \`${type}\`.`,
    tags: [eventsTag],
    security: [],
    requestParams: { header },
    requestBody: { required: true, content: { 'application/json': { schema, example } } },
    responses,
    ...(name !== type && { deprecated: true }),
  };
}
