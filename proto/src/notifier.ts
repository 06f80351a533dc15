import type { NotifierDefinition } from './generated/countersign/notifier/v1/Notifier.js';
import { loadService } from './load.js';

export const notifierService = loadService<NotifierDefinition>(
  'notifier',
  'countersign.notifier.v1.Notifier',
);

export type * from './generated/countersign/notifier/v1/CreateWebhookRequest.js';
export type * from './generated/countersign/notifier/v1/CreateWebhookResponse.js';
export type * from './generated/countersign/notifier/v1/Delivery.js';
export type * from './generated/countersign/notifier/v1/DeliveryAttempt.js';
export type * from './generated/countersign/notifier/v1/GetWebhookRequest.js';
export type * from './generated/countersign/notifier/v1/ListDeliveriesRequest.js';
export type * from './generated/countersign/notifier/v1/ListDeliveriesResponse.js';
export type * from './generated/countersign/notifier/v1/ListWebhooksRequest.js';
export type * from './generated/countersign/notifier/v1/ListWebhooksResponse.js';
export type * from './generated/countersign/notifier/v1/Notifier.js';
export type * from './generated/countersign/notifier/v1/RetryDeliveryRequest.js';
export type * from './generated/countersign/notifier/v1/TestWebhookRequest.js';
export type * from './generated/countersign/notifier/v1/TestWebhookResponse.js';
export type * from './generated/countersign/notifier/v1/UpdateWebhookRequest.js';
export type * from './generated/countersign/notifier/v1/VerifyCodeRequest.js';
export type * from './generated/countersign/notifier/v1/VerifyCodeResponse.js';
export type * from './generated/countersign/notifier/v1/Webhook.js';
