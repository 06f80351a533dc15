import type { NotifierDefinition } from '@countersign/proto/notifier';
import type { Handlers } from '@countersign/runtime/grpc-types';
import type { Context } from '../context.js';
import { findWebhook, toWebhook } from '../webhook.js';

export function getWebhook(context: Context): Handlers<NotifierDefinition>['GetWebhook'] {
  return async (request, call) => toWebhook(await findWebhook(context, call, request));
}
