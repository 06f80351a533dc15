import type { Clock } from '@countersign/kernel/clock';
import { isoTime } from '@countersign/kernel/clock';
import type { AmendedAuthorization, BusEvent } from '@countersign/kernel/event';
import { newId } from '@countersign/kernel/id';
import type { Call } from '@countersign/runtime/grpc-types';
import type { RecordWithAnswer } from './authorization.js';

/** What is to be appended, with the event announcing it; the database may still refuse it. */
export interface Amendment {
  eventId: string;
  /** ISO time of what is appended. */
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

/** The request that caused it, and when; without a request where a challenge expired. */
type Occasion = Pick<BusEvent, 'environment' | 'requestId'> & { trace?: Call['trace']; at: string };

export function amendedEvent(
  { id, clientId, principalId, agentId, currency }: Amended,
  change: Change,
  { environment, requestId, trace, at }: Occasion,
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
