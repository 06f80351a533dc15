import { Fault } from '@countersign/kernel/fault';
import type { Tenant } from '@countersign/proto/conventions';
import type {
  CreateWebhookRequest,
  CreateWebhookResponse,
  NotifierDefinition,
} from '@countersign/proto/notifier';
import { databaseTime } from '@countersign/runtime/database/database-time';
import { tenantOf } from '@countersign/runtime/grpc/tenant';
import type { Handlers } from '@countersign/runtime/grpc-types';
import type { Context } from '../context.js';
import { secretPlace } from '../deliver.js';
import type { Prisma, Webhook as WebhookRow } from '../generated/prisma/client.js';
import { newSigningSecret } from '../sign.js';
import { assertEventTypes, assertOwn, assertUrl, toWebhook } from '../webhook.js';

/** Idempotent: a repeated call with the same id returns the existing webhook. */
export function createWebhook(context: Context): Handlers<NotifierDefinition>['CreateWebhook'] {
  return async (request, call) => {
    const tenant = tenantOf(request);
    const { pool, prisma } = context.stores[call.environment];
    const { id } = request;
    const existing = await prisma.webhook.findUnique({ where: { id } });
    if (existing) return answerOf(existing, tenant, context);
    assertEventTypes(request.eventTypes);
    await assertUrl(context, call, request.url);
    const createdAt = await databaseTime(pool);
    const row = await prisma.$transaction(async (tx) => {
      // Taken before the webhooks are looked up and counted, so that the next call sees this one.
      await tx.$executeRaw`SELECT pg_advisory_xact_lock(1, hashtext(${tenant.principalId}))`;
      const repeated = await tx.webhook.findUnique({ where: { id } });
      return repeated ?? insert(tx, { ...request, createdAt }, context);
    });
    return answerOf(row, tenant, context);
  };
}

async function insert(
  tx: Prisma.TransactionClient,
  request: CreateWebhookRequest & { createdAt: Date },
  context: Context,
): Promise<WebhookRow> {
  const { id, url, eventTypes, description, createdAt } = request;
  const { principalId, clientId } = tenantOf(request);
  assertRoom(await tx.webhook.count({ where: { principalId, deletedAt: null } }), context);
  const sealed = context.cipher.seal(newSigningSecret(), secretPlace(id));
  return tx.webhook.create({
    data: {
      ...{ id, clientId, principalId, url },
      eventTypes: [...new Set(eventTypes)],
      description: description ?? null,
      secret: new Uint8Array(sealed.bytes),
      secretKeyId: sealed.keyId,
      createdAt,
    },
  });
}

function answerOf(row: WebhookRow, tenant: Tenant, { cipher }: Context): CreateWebhookResponse {
  assertOwn(row, tenant);
  const sealed = { keyId: row.secretKeyId, bytes: row.secret };
  return { webhook: toWebhook(row), signingSecret: cipher.open(sealed, secretPlace(row.id)) };
}

function assertRoom(count: number, { config }: Context): void {
  if (count < config.webhooksPerPrincipal) return;
  throw new Fault('invalid', {
    code: 'ERROR',
    message: `A Principal may have at most ${config.webhooksPerPrincipal} webhooks.`,
  });
}
