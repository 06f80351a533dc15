import { Fault, invalidField, notFound } from '@countersign/kernel/fault';
import { isRegistrableEvent, webhookWildcard } from '@countersign/kernel/webhook-event';
import type { Tenant } from '@countersign/proto/conventions';
import type { Webhook } from '@countersign/proto/notifier';
import { tenantOf } from '@countersign/runtime/grpc/tenant';
import type { Call } from '@countersign/runtime/grpc-types';
import type { UrlProblem } from '@countersign/runtime/outgoing/url-guard';
import type { Context } from './context.js';
import type { Webhook as WebhookRow } from './generated/prisma/client.js';

export function toWebhook(row: WebhookRow): Webhook {
  return {
    id: row.id,
    url: row.url,
    eventTypes: row.eventTypes,
    active: row.active,
    consecutiveFailures: row.consecutiveFailures,
    createdAt: row.createdAt.toISOString(),
    description: row.description ?? undefined,
    lastDeliveryAt: row.lastDeliveryAt?.toISOString(),
    lastStatusCode: row.lastStatusCode ?? undefined,
  };
}

/** Nothing is sent to a webhook that is switched off, by its owner or for its failures. */
export function assertActive({ active }: WebhookRow): void {
  if (active) return;
  const message = 'The webhook is not active; set active to true first.';
  throw new Fault('malformed', { code: 'BAD_REQUEST', message });
}

/**
 * The row; NOT_FOUND if there is none or it belongs to another Client, TENANT_MISMATCH for another
 * Principal of the same Client.
 */
export async function findWebhook(
  context: Context,
  call: Call,
  request: { tenant: Tenant | null; id: string },
): Promise<WebhookRow> {
  const tenant = tenantOf(request);
  const row = await context.stores[call.environment].prisma.webhook.findUnique({
    where: { id: request.id, deletedAt: null },
  });
  if (!row || row.clientId !== tenant.clientId) throw notFound('NOT_FOUND', 'Webhook not found.');
  assertOwn(row, tenant);
  return row;
}

export function assertOwn(row: { principalId: string }, tenant: Tenant): void {
  if (row.principalId === tenant.principalId) return;
  throw new Fault('forbidden', {
    code: 'TENANT_MISMATCH',
    message: 'The webhook belongs to another Principal.',
  });
}

export function assertEventTypes(eventTypes: readonly string[]): void {
  if (eventTypes.length === 0) {
    throw invalidField('event_types', 'too_small', 'At least one event type is required.');
  }
  const index = eventTypes.findIndex((name) => !isRegistrableEvent(name));
  if (index === -1) return;
  const message = `Not an event type; \`${webhookWildcard}\` stands for all.`;
  throw invalidField(`event_types.${index}`, 'invalid_value', message);
}

const problemTexts: Record<UrlProblem, string> = {
  url_malformed: 'The webhook URL is not a URL.',
  url_too_long: 'The webhook URL is longer than 2048 characters.',
  scheme_not_https: 'The webhook URL must use https.',
  credentials_in_url: 'The webhook URL must not contain credentials.',
  port_not_allowed: 'The webhook URL must use port 443 or 8443.',
  name_not_resolved: 'The host of the webhook URL does not resolve.',
  address_not_public: 'The webhook URL must point to a public address.',
};

/** Throws 422 with code ERROR if webhooks may not call the URL. */
export async function assertUrl(context: Context, call: Call, url: string): Promise<void> {
  const problem = await context.guard.check(url, call.environment);
  if (!problem) return;
  const message = problemTexts[problem];
  throw new Fault('invalid', {
    code: 'ERROR',
    message,
    errors: [{ field: 'url', message, type: problem }],
  });
}
