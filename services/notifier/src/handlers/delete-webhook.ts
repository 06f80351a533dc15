import type { NotifierDefinition } from '@countersign/proto/notifier';
import type { Handlers } from '@countersign/runtime/grpc-types';
import type { Context } from '../context.js';
import { findWebhook } from '../webhook.js';

/**
 * Once answered, nothing more is sent, pending deliveries included, and the secrets are deleted.
 * The rows are deleted later in batches, as there may be any number of them.
 */
export function deleteWebhook(context: Context): Handlers<NotifierDefinition>['DeleteWebhook'] {
  return async (request, call) => {
    const { id } = await findWebhook(context, call, request);
    await context.stores[call.environment].prisma.webhook.updateMany({
      where: { id, deletedAt: null },
      data: {
        deletedAt: new Date(context.clock()),
        active: false,
        secret: new Uint8Array(),
        previousSecret: null,
      },
    });
    return {};
  };
}
