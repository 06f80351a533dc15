import { Fault } from '@countersign/kernel/fault';
import type { NotifierDefinition } from '@countersign/proto/notifier';
import type { Handlers } from '@countersign/runtime/grpc-types';
import type { Context } from '../context.js';
import { secretPlace } from '../deliver.js';
import { newSigningSecret } from '../sign.js';
import { assertEventTypes, assertOwn, assertUrl, tenantOf, toWebhook } from '../webhook.js';

/** Idempotent: a repeated call with the same id returns the existing webhook. */
export function createWebhook(context: Context): Handlers<NotifierDefinition>['CreateWebhook'] {
  return async (request, call) => {
    const tenant = tenantOf(request);
    const prisma = context.stores[call.environment].prisma;
    const existing = await prisma.webhook.findUnique({ where: { id: request.id } });
    if (existing) {
      assertOwn(existing, tenant);
      const sealed = { keyId: existing.secretKeyId, bytes: existing.secret };
      const signingSecret = context.cipher.open(sealed, secretPlace(existing.id));
      return { webhook: toWebhook(existing), signingSecret };
    }
    assertEventTypes(request.eventTypes);
    await assertUrl(context, call, request.url);
    const { principalId, clientId } = tenant;
    const signingSecret = newSigningSecret();
    const sealed = context.cipher.seal(signingSecret, secretPlace(request.id));
    const row = await prisma.$transaction(async (tx) => {
      // Taken before the webhooks are counted, so that the next who counts sees this one.
      await tx.$executeRaw`SELECT pg_advisory_xact_lock(1, hashtext(${principalId}))`;
      assertRoom(await tx.webhook.count({ where: { principalId, deletedAt: null } }), context);
      return tx.webhook.create({
        data: {
          id: request.id,
          clientId,
          principalId,
          url: request.url,
          eventTypes: [...new Set(request.eventTypes)],
          description: request.description ?? null,
          secret: new Uint8Array(sealed.bytes),
          secretKeyId: sealed.keyId,
          createdAt: new Date(context.clock()),
        },
      });
    });
    return { webhook: toWebhook(row), signingSecret };
  };
}

function assertRoom(count: number, { config }: Context): void {
  if (count < config.webhooksPerPrincipal) return;
  throw new Fault('invalid', {
    code: 'ERROR',
    message: `A Principal may have at most ${config.webhooksPerPrincipal} webhooks.`,
  });
}
