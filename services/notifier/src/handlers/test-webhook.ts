import { invalidField } from '@countersign/kernel/fault';
import { newId } from '@countersign/kernel/id';
import { sampleEventData, webhookEventType } from '@countersign/kernel/webhook-event';
import type { NotifierDefinition } from '@countersign/proto/notifier';
import { databaseTime } from '@countersign/runtime/database/database-time';
import type { Handlers } from '@countersign/runtime/grpc-types';
import type { Context } from '../context.js';
import { maxAttempts } from '../retry.js';
import { assertActive, findWebhook } from '../webhook.js';

/** A sample event is signed, retried, listed and counted like any other. */
export function testWebhook(context: Context): Handlers<NotifierDefinition>['TestWebhook'] {
  return async (request, call) => {
    const { eventType: name } = request;
    const webhook = await findWebhook(context, call, request);
    const type = webhookEventType(name);
    if (!type) throw invalidField('event_type', 'invalid_value', 'Not an event type.');
    assertActive(webhook);
    const { pool, prisma } = context.stores[call.environment];
    const now = await databaseTime(pool);
    await prisma.delivery.create({
      data: {
        id: newId('delivery'),
        webhookId: webhook.id,
        eventId: newId('event'),
        event: name,
        data: JSON.stringify(sampleEventData(type)),
        attemptsLeft: maxAttempts,
        nextAttemptAt: now,
        createdAt: now,
      },
    });
    context.signals[call.environment].wake();
    return {};
  };
}
