import { type CatalogEntry, webhookWildcard } from '@countersign/kernel/webhook-event';
import type { Delivery, Webhook } from '@countersign/proto/notifier';

export function webhookView(webhook: Webhook) {
  return {
    id: webhook.id,
    url: webhook.url,
    event_types: webhook.eventTypes,
    active: webhook.active,
    description: webhook.description ?? null,
    consecutive_failures: webhook.consecutiveFailures,
    last_delivery_at: webhook.lastDeliveryAt ?? null,
    last_status_code: webhook.lastStatusCode ?? null,
    created_at: webhook.createdAt,
  };
}

export function deliveryView(delivery: Delivery) {
  return {
    id: delivery.id,
    event_id: delivery.eventId,
    event: delivery.event,
    status: delivery.status,
    attempts: delivery.attempts.map((attempt) => ({
      at: attempt.at,
      status_code: attempt.statusCode ?? null,
      error: attempt.error ?? null,
      duration_ms: attempt.durationMs,
    })),
    created_at: delivery.createdAt,
  };
}

export function eventCatalogView(catalog: readonly CatalogEntry[]) {
  return {
    event_types: catalog.map(({ type, description, samplePayload }) => ({
      type,
      description,
      sample_payload: samplePayload,
    })),
    wildcard: webhookWildcard,
  };
}
