import type { NotifierDefinition } from '@countersign/proto/notifier';
import { tenantOf } from '@countersign/runtime/grpc/tenant';
import type { Handlers } from '@countersign/runtime/grpc-types';
import type { Context } from '../context.js';
import { behind, newestFirst, takeOf } from '../page.js';
import { toWebhook } from '../webhook.js';

export function listWebhooks(context: Context): Handlers<NotifierDefinition>['ListWebhooks'] {
  return async (request, call) => {
    const { principalId, clientId } = tenantOf(request);
    const take = takeOf(request.page);
    const rows = await context.stores[call.environment].prisma.webhook.findMany({
      where: { principalId, clientId, deletedAt: null, ...behind(request.page) },
      orderBy: newestFirst,
      take,
    });
    return { webhooks: rows.slice(0, take - 1).map(toWebhook), hasMore: rows.length === take };
  };
}
