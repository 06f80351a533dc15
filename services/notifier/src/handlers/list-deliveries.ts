import type { NotifierDefinition } from '@countersign/proto/notifier';
import type { Handlers } from '@countersign/runtime/grpc-types';
import type { Context } from '../context.js';
import { toDelivery } from '../delivery.js';
import { behind, newestFirst, takeOf } from '../page.js';
import { findWebhook } from '../webhook.js';

export function listDeliveries(context: Context): Handlers<NotifierDefinition>['ListDeliveries'] {
  return async (request, call) => {
    const { tenant, webhookId: id, page } = request;
    const { id: webhookId } = await findWebhook(context, call, { tenant, id });
    const take = takeOf(page);
    const rows = await context.stores[call.environment].prisma.delivery.findMany({
      where: { webhookId, ...behind(page) },
      orderBy: newestFirst,
      take,
    });
    return { deliveries: rows.slice(0, take - 1).map(toDelivery), hasMore: rows.length === take };
  };
}
