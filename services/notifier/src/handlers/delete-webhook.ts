import type { NotifierDefinition } from '@countersign/proto/notifier';
import { databaseTime } from '@countersign/runtime/database/database-time';
import type { Handlers } from '@countersign/runtime/grpc-types';
import type { Context } from '../context.js';
import { findWebhook } from '../webhook.js';

/**
 * Once answered, no further attempt begins, pending deliveries included, and the secrets are
 * deleted. The rows are deleted later in batches, as there may be any number of them.
 */
export function deleteWebhook(context: Context): Handlers<NotifierDefinition>['DeleteWebhook'] {
  return async (request, call) => {
    const { id } = await findWebhook(context, call, request);
    const { pool, prisma } = context.stores[call.environment];
    await prisma.webhook.updateMany({
      where: { id, deletedAt: null },
      data: {
        deletedAt: await databaseTime(pool),
        active: false,
        secret: new Uint8Array(),
        previousSecret: null,
      },
    });
    return {};
  };
}
