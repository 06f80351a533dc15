import type { NotifierDefinition } from '@countersign/proto/notifier';
import { behind, cutPage, newestFirst, readPage } from '@countersign/runtime/grpc/page';
import type { Handlers } from '@countersign/runtime/grpc-types';
import type { Context } from '../context.js';
import { toDelivery } from '../delivery.js';
import { findWebhook } from '../webhook.js';

export function listDeliveries(context: Context): Handlers<NotifierDefinition>['ListDeliveries'] {
  return async (request, call) => {
    const { tenant, webhookId: id } = request;
    const { id: webhookId } = await findWebhook(context, call, { tenant, id });
    const page = readPage(request.page);
    const found = await context.stores[call.environment].prisma.delivery.findMany({
      where: { webhookId, ...behind(page) },
      orderBy: newestFirst(),
      take: page.take,
    });
    const { rows, hasMore } = cutPage(found, page);
    return { deliveries: rows.map(toDelivery), hasMore };
  };
}
