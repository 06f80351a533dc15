import type { Clock } from '@countersign/kernel/clock';
import { isoTime } from '@countersign/kernel/clock';
import type { AmendedAuthorization, BusEvent } from '@countersign/kernel/event';
import { newId } from '@countersign/kernel/id';
import type { Call } from '@countersign/runtime/grpc-types';
import type { RecordWithAnswer } from './authorization.js';

/** Time and event of a fact to be appended; the database may still reject it. */
interface Amendment {
  eventId: string;
  /** ISO time of the appended fact. */
  at: string;
  /** The BusEvent as JSON text. */
  event: string;
}

type Change = Pick<AmendedAuthorization, 'amendment' | 'decision' | 'amount' | 'deniedBy'>;

export function amendment(
  record: Amended,
  change: Change,
  { call, clock }: { call: Call; clock: Clock },
): Amendment {
  const at = isoTime(clock());
  const { environment, requestId, trace } = call;
  const event = amendedEvent(record, change, { environment, requestId, trace, at });
  return { eventId: event.id, at, event: JSON.stringify(event) };
}

type Amended = Pick<RecordWithAnswer, 'id' | 'clientId' | 'principalId' | 'agentId' | 'currency'>;

/** The cause of an event. An expired challenge has no request. */
type EventOrigin = Pick<BusEvent, 'environment' | 'requestId'> & {
  trace?: Call['trace'];
  at: string;
};

export function amendedEvent(
  { id, clientId, principalId, agentId, currency }: Amended,
  change: Change,
  { environment, requestId, trace, at }: EventOrigin,
): BusEvent<'authorization.amended'> {
  return {
    id: newId('event'),
    type: 'authorization.amended',
    environment,
    principalId,
    clientId,
    requestId,
    occurredAt: at,
    ...(trace && { trace: trace.carrier }),
    data: { authorizationId: id, agentId, currency, ...change },
  };
}
