import type { NotifierDefinition } from '@countersign/proto/notifier';
import type { Handlers } from '@countersign/runtime/grpc-types';
import type { Context } from '../context.js';
import { createWebhook } from './create-webhook.js';
import { deleteWebhook } from './delete-webhook.js';
import { getWebhook } from './get-webhook.js';
import { listDeliveries } from './list-deliveries.js';
import { listFailingWebhooks } from './list-failing-webhooks.js';
import { listWebhooks } from './list-webhooks.js';
import { retryDelivery } from './retry-delivery.js';
import { rotateWebhookSecret } from './rotate-webhook-secret.js';
import { testWebhook } from './test-webhook.js';
import { updateWebhook } from './update-webhook.js';
import { verifyCode } from './verify-code.js';

export function handlers(context: Context): Handlers<NotifierDefinition> {
  return {
    CreateWebhook: createWebhook(context),
    GetWebhook: getWebhook(context),
    ListWebhooks: listWebhooks(context),
    ListFailingWebhooks: listFailingWebhooks(context),
    UpdateWebhook: updateWebhook(context),
    DeleteWebhook: deleteWebhook(context),
    TestWebhook: testWebhook(context),
    RotateWebhookSecret: rotateWebhookSecret(context),
    ListDeliveries: listDeliveries(context),
    RetryDelivery: retryDelivery(context),
    VerifyCode: verifyCode(context),
  };
}
