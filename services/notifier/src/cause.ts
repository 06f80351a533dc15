import type { BusEventData, BusEventType } from '@countersign/kernel/event';
import type { WebhookEventType } from '@countersign/kernel/webhook-event';
import type { WebhookEventData } from '@countersign/kernel/webhook-event-data';

/** A webhook event of some type, with the data of that type. */
export type Cause = {
  [T in WebhookEventType]: readonly [type: T, data: WebhookEventData[T]];
}[WebhookEventType];

/** What a bus event of each type causes, from its data. */
export type Causes = { [T in BusEventType]?: (data: BusEventData[T]) => Cause[] };
