import type { BusEvent, BusEventData, BusEventType } from '@countersign/kernel/event';
import { newId } from '@countersign/kernel/id';

/** The envelope of an event without id, type and data. */
export type Cause = Pick<
  BusEvent,
  'environment' | 'principalId' | 'clientId' | 'requestId' | 'occurredAt' | 'trace'
>;

/** A new event that another one has caused, or a call. */
export function causedEvent<T extends BusEventType>(
  type: T,
  { environment, principalId, clientId, requestId, occurredAt, trace }: Cause,
  data: BusEventData[T],
): BusEvent<T> {
  return {
    id: newId('event'),
    type,
    environment,
    principalId,
    clientId,
    requestId,
    occurredAt,
    ...(trace && { trace }),
    data,
  };
}
