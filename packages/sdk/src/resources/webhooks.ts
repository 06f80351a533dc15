import { NotFoundError } from '../errors.js';
import type { components, operations } from '../generated/openapi.js';
import type { CallOptions } from '../http/call.js';
import type { Wire } from '../http/wire.js';
import { Pages } from '../pages.js';
import { asItIs, type ListOptions, pageOf } from './list.js';

type Schemas = components['schemas'];
export type Webhook = Schemas['Webhook'];
export type NewWebhook = Schemas['CreateWebhook'];
export type WebhookChange = Schemas['UpdateWebhook'];
export type CreatedWebhook = Schemas['CreatedWebhook'];
export type WebhookDelivery = Schemas['WebhookDelivery'];
export type WebhookEventType = NonNullable<
  NonNullable<operations['testWebhook']['parameters']['query']>['event_type']
>;

/** Webhook registrations. Use `verifyWebhook` to check deliveries. */
export class Webhooks {
  readonly #wire: Wire;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  /** `signing_secret` is returned only this once. */
  create(webhook: NewWebhook, options?: CallOptions): Promise<CreatedWebhook> {
    return this.#wire.call('post', '/api/v1/webhooks', { body: webhook, options });
  }

  get(webhookId: string, options?: CallOptions): Promise<Webhook> {
    const params = { webhook_id: webhookId };
    return this.#wire.call('get', '/api/v1/webhooks/{webhook_id}', { params, options });
  }

  list({ limit, ...options }: ListOptions = {}): Pages<Webhook> {
    return new Pages(async (cursor) => {
      const asked = { query: { limit, cursor }, options };
      return pageOf(await this.#wire.call('get', '/api/v1/webhooks', asked), asItIs);
    });
  }

  update(webhookId: string, change: WebhookChange, options?: CallOptions): Promise<Webhook> {
    const asked = { params: { webhook_id: webhookId }, body: change, options };
    return this.#wire.call('patch', '/api/v1/webhooks/{webhook_id}', asked);
  }

  async delete(webhookId: string, options?: CallOptions): Promise<void> {
    const asked = { params: { webhook_id: webhookId }, options, repeatable: true };
    try {
      await this.#wire.call('delete', '/api/v1/webhooks/{webhook_id}', asked);
    } catch (error) {
      // A 404 after an attempt whose response was lost: that attempt deleted it.
      if (error instanceof NotFoundError && error.outcomeUnknown) return;
      throw error;
    }
  }

  /** Sends a sample event, marked with `test: true` in its data. */
  test(
    webhookId: string,
    { eventType, ...options }: CallOptions & { eventType?: WebhookEventType | undefined } = {},
  ): Promise<Schemas['TestedWebhook']> {
    const asked = { params: { webhook_id: webhookId }, query: { event_type: eventType }, options };
    return this.#wire.call('post', '/api/v1/webhooks/{webhook_id}/test', asked);
  }

  /** Both secrets sign for 24 hours: `verifyWebhook` accepts either. */
  rotateSecret(webhookId: string, options?: CallOptions): Promise<CreatedWebhook> {
    const params = { webhook_id: webhookId };
    const path = '/api/v1/webhooks/{webhook_id}/rotate-secret';
    return this.#wire.call('post', path, { params, options });
  }

  deliveries(webhookId: string, { limit, ...options }: ListOptions = {}): Pages<WebhookDelivery> {
    const params = { webhook_id: webhookId };
    return new Pages(async (cursor) => {
      const asked = { params, query: { limit, cursor }, options };
      const path = '/api/v1/webhooks/{webhook_id}/deliveries';
      return pageOf(await this.#wire.call('get', path, asked), asItIs);
    });
  }

  /** Delivers an event again. */
  redeliver(
    webhookId: string,
    deliveryId: string,
    options?: CallOptions,
  ): Promise<WebhookDelivery> {
    const params = { webhook_id: webhookId, delivery_id: deliveryId };
    const path = '/api/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/retry';
    return this.#wire.call('post', path, { params, options });
  }
}
