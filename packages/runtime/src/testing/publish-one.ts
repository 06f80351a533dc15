import type { BusEvent } from '@countersign/kernel/event';
import type { Bus } from '../bus.js';

/** Publishes an event as a message of its own; under another id the bus takes it as a new one. */
export function publishOne(
  bus: Bus,
  event: Pick<BusEvent, 'id' | 'type' | 'environment'>,
  id = event.id,
): Promise<void> {
  const { type: topic, environment } = event;
  return bus.publishTogether({ id, topic, environment, payloads: [JSON.stringify(event)] });
}
