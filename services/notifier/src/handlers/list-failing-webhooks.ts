import type { NotifierDefinition } from '@countersign/proto/notifier';
import { behind, cutPage, newestFirst, readPage } from '@countersign/runtime/grpc/page';
import type { Handlers } from '@countersign/runtime/grpc-types';
import type { Context } from '../context.js';
import { toWebhook } from '../webhook.js';

type Handler = Handlers<NotifierDefinition>['ListFailingWebhooks'];

/** Of every Principal, for the operator. Reads all webhooks: it is asked when an alert fires. */
export function listFailingWebhooks(context: Context): Handler {
  return async (request, call) => {
    const page = readPage(request.page);
    const found = await context.stores[call.environment].prisma.webhook.findMany({
      where: {
        deletedAt: null,
        AND: [{ OR: [{ active: false }, { consecutiveFailures: { gt: 0 } }] }, behind(page)],
      },
      orderBy: newestFirst(),
      take: page.take,
    });
    const { rows, hasMore } = cutPage(found, page);
    const failing = rows.map((row) => ({
      clientId: row.clientId,
      principalId: row.principalId,
      webhook: toWebhook(row),
    }));
    return { failing, hasMore };
  };
}
