import { notFound } from '@countersign/kernel/fault';
import type { NotifierDefinition } from '@countersign/proto/notifier';
import type { Handlers } from '@countersign/runtime/grpc-types';
import type { Context } from '../context.js';
import { secretPlace } from '../deliver.js';
import { newSigningSecret } from '../sign.js';
import { rotateSecretSql } from '../sql.js';
import { findWebhook, toWebhook } from '../webhook.js';

/** Both secrets sign for 24 hours. Not idempotent: each call generates a new secret. */
export function rotateWebhookSecret(
  context: Context,
): Handlers<NotifierDefinition>['RotateWebhookSecret'] {
  return async (request, call) => {
    const row = await findWebhook(context, call, request);
    const signingSecret = newSigningSecret();
    const sealed = context.cipher.seal(signingSecret, secretPlace(row.id));
    const values = [row.id, sealed.bytes, sealed.keyId];
    const { rowCount } = await context.stores[call.environment].pool.query(rotateSecretSql, values);
    // It was deleted meanwhile, and no secret of it is left.
    if (rowCount === 0) throw notFound('NOT_FOUND', 'Webhook not found.');
    return { webhook: toWebhook(row), signingSecret };
  };
}
