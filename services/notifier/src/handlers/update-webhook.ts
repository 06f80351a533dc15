import { notFound } from '@countersign/kernel/fault';
import type { NotifierDefinition } from '@countersign/proto/notifier';
import type { Handlers } from '@countersign/runtime/grpc-types';
import type { Context } from '../context.js';
import { assertEventTypes, assertUrl, findWebhook, toWebhook } from '../webhook.js';

/**
 * Enabling a webhook resets its failure count; pending deliveries use the URL at the time of
 * sending.
 */
export function updateWebhook(context: Context): Handlers<NotifierDefinition>['UpdateWebhook'] {
  return async (request, call) => {
    const { id } = await findWebhook(context, call, request);
    const { url, active, eventTypes, description, clearDescription } = request;
    if (eventTypes.length > 0) assertEventTypes(eventTypes);
    if (url !== undefined) await assertUrl(context, call, url);
    const [row] = await context.stores[call.environment].prisma.webhook.updateManyAndReturn({
      where: { id, deletedAt: null },
      data: {
        url,
        active,
        eventTypes: eventTypes.length > 0 ? [...new Set(eventTypes)] : undefined,
        consecutiveFailures: active ? 0 : undefined,
        description: clearDescription ? null : description,
      },
    });
    if (!row) throw notFound('NOT_FOUND', 'Webhook not found.');
    return toWebhook(row);
  };
}
