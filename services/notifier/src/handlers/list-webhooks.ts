import type { NotifierDefinition } from '@countersign/proto/notifier';
import { behind, cutPage, newestFirst, readPage } from '@countersign/runtime/grpc/page';
import { tenantOf } from '@countersign/runtime/grpc/tenant';
import type { Handlers } from '@countersign/runtime/grpc-types';
import type { Context } from '../context.js';
import { toWebhook } from '../webhook.js';

export function listWebhooks(context: Context): Handlers<NotifierDefinition>['ListWebhooks'] {
  return async (request, call) => {
    const { principalId, clientId } = tenantOf(request);
    const page = readPage(request.page);
    const found = await context.stores[call.environment].prisma.webhook.findMany({
      where: { principalId, clientId, deletedAt: null, ...behind(page) },
      orderBy: newestFirst(),
      take: page.take,
    });
    const { rows, hasMore } = cutPage(found, page);
    return { webhooks: rows.map(toWebhook), hasMore };
  };
}
