import { notFound } from '@countersign/kernel/fault';
import type { NotifierDefinition } from '@countersign/proto/notifier';
import { databaseTime } from '@countersign/runtime/database/database-time';
import type { Handlers } from '@countersign/runtime/grpc-types';
import type { Context } from '../context.js';
import { toDelivery } from '../delivery.js';
import { maxAttempts } from '../retry.js';
import { assertActive, findWebhook } from '../webhook.js';

/** Starts a new series of attempts for the same event; a delivery in flight is left alone. */
export function retryDelivery(context: Context): Handlers<NotifierDefinition>['RetryDelivery'] {
  return async (request, call) => {
    const { tenant, webhookId, deliveryId: id } = request;
    const webhook = await findWebhook(context, call, { tenant, id: webhookId });
    const { pool, prisma } = context.stores[call.environment];
    const { delivery } = prisma;
    const found = await delivery.findUnique({ where: { id, webhookId } });
    if (!found) throw notFound('NOT_FOUND', 'Delivery not found.');
    assertActive(webhook);
    const [due] = await delivery.updateManyAndReturn({
      where: { id, webhookId, lease: null },
      data: {
        status: 'PENDING',
        attemptsLeft: maxAttempts,
        nextAttemptAt: await databaseTime(pool),
        finishedAt: null,
      },
    });
    context.signals[call.environment].wake();
    return toDelivery(due ?? found);
  };
}
