import {
  isRegistrableEvent,
  webhookEventAliases,
  webhookEventType,
  webhookEventTypes,
  webhookWildcard,
} from '@countersign/kernel/webhook-event';
import { z } from 'zod';
import { documentedAs } from './documented-as.js';
import { answeredId } from './id.js';
import { pageOf, setOf } from './list.js';
import { rule } from './rule.js';
import { sent } from './sent.js';
import { form, inAscii, text } from './text.js';
import { answeredTime } from './time.js';

const eventNames = [...webhookEventTypes, ...Object.keys(webhookEventAliases)];
const asciiUrl = 'must be in ASCII: its host in punycode, its path percent-encoded';
const exampleUrl = 'https://example.com/hooks/countersign';

// Whether the address may be called is judged by the service that calls it.
const url = form(/^[\x21-\x7e]+$/, inAscii('must be a URL', asciiUrl))
  .max(2048, { error: 'must have at most 2048 characters' })
  .meta({ description: 'A public HTTPS URL.', examples: [exampleUrl] });

const registrable = z
  .string()
  .refine(isRegistrableEvent, rule('invalid_value', `must be one of ${eventNames.join(', ')} or *`))
  .meta({
    id: 'WebhookEventName',
    ...documentedAs({ type: 'string', enum: [...eventNames, webhookWildcard] }),
  });

const eventTypes = setOf(registrable, eventNames.length + 1, 1).meta(
  sent(['authorization.decline', 'step_up.created']),
);

const description = text(255, 0);

export const createWebhook = z
  .strictObject({ url, event_types: eventTypes, description: description.optional() })
  .meta({
    id: 'CreateWebhook',
    ...sent({ url: exampleUrl, event_types: ['authorization.decline'], description: 'Operations' }),
  });

export const updateWebhook = z
  .strictObject({
    url: url.optional(),
    event_types: eventTypes.optional(),
    active: z.boolean().optional().meta({ description: 'true also resets the failure counter.' }),
    description: description.nullable().optional(),
  })
  .meta({ id: 'UpdateWebhook', ...sent({ active: true }) });

export const testWebhookQuery = z.object({
  event_type: z
    .string()
    .refine(
      (name) => webhookEventType(name) !== null,
      rule('invalid_value', `must be one of ${eventNames.join(', ')}`),
    )
    .default('gate.fired')
    .meta(documentedAs({ type: 'string', enum: eventNames, default: 'gate.fired' })),
});

export const webhook = z
  .object({
    id: answeredId('webhook'),
    url: z.string().meta({ examples: [exampleUrl] }),
    event_types: z.array(z.string()).meta({ examples: [['authorization.decline']] }),
    active: z.boolean().meta({ examples: [true] }),
    description: z
      .string()
      .nullable()
      .meta({ examples: ['Operations'] }),
    consecutive_failures: z.int().meta({ examples: [0] }),
    last_delivery_at: answeredTime().nullable(),
    last_status_code: z
      .int()
      .nullable()
      .meta({ examples: [200] }),
    created_at: answeredTime(),
  })
  .meta({ id: 'Webhook' });

export const createdWebhook = z
  .object({
    webhook,
    signing_secret: z.string().meta({ description: 'Shown once.', examples: ['whsec_…'] }),
  })
  .meta({ id: 'CreatedWebhook' });

export const webhookPage = pageOf(webhook, 'WebhookPage');

export const testedWebhook = z
  .object({
    status: z.literal('sent'),
    event_type: z.string().meta({ examples: ['gate.fired'] }),
    message: z.string().meta({ examples: ['A sample of gate.fired is on its way.'] }),
  })
  .meta({ id: 'TestedWebhook' });

const attempt = z
  .object({
    at: answeredTime(),
    status_code: z
      .int()
      .nullable()
      .meta({ examples: [200] }),
    error: z
      .string()
      .nullable()
      .meta({ examples: [null] }),
    duration_ms: z.int().meta({ examples: [87] }),
  })
  .meta({ id: 'WebhookDeliveryAttempt' });

export const delivery = z
  .object({
    id: answeredId('delivery'),
    event_id: answeredId('event'),
    event: z.string().meta({ examples: ['authorization.decline'] }),
    status: z.enum(['PENDING', 'DELIVERED', 'FAILED']),
    attempts: z.array(attempt),
    created_at: answeredTime(),
  })
  .meta({ id: 'WebhookDelivery' });

export const deliveryPage = pageOf(delivery, 'WebhookDeliveryPage');

const sentEvent = z
  .object({
    id: answeredId('event'),
    event: z.string().meta({ examples: ['authorization.decline'] }),
    timestamp: answeredTime(),
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'WebhookEvent' });

const eventType = z
  .object({
    type: z.string().meta({ examples: ['authorization.decline'] }),
    description: z.string().meta({ examples: ['A transaction was declined.'] }),
    sample_payload: sentEvent,
  })
  .meta({ id: 'WebhookEventType' });

export const eventCatalog = z
  .object({
    event_types: z.array(eventType),
    wildcard: z.string().meta({ examples: ['*'] }),
  })
  .meta({ id: 'WebhookEventCatalog' });
