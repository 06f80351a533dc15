import { type PackedEvent, unpackedEvent } from '@countersign/kernel/packed-event';

/**
 * The JSON text of an event of an outbox or of the bus. One that is packed names no environment, so
 * all are given the same one and remain comparable.
 */
export function eventText(event: unknown): string {
  return JSON.stringify(
    Array.isArray(event) ? unpackedEvent(event as unknown as PackedEvent, 'sandbox') : event,
  );
}
