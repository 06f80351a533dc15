import type { Clock } from '@countersign/kernel/clock';
import { isoTime } from '@countersign/kernel/clock';
import type { AmendedAuthorization, BusEvent } from '@countersign/kernel/event';
import { newId } from '@countersign/kernel/id';
import type { Call } from '@countersign/runtime/grpc-types';
import type { RecordWithAnswer } from './authorization.js';

/** What is appended and the event that tells of it, before the database has its say. */
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
  const { environment, requestId } = call;
  const event = amendedEvent(record, change, { environment, requestId, at });
  return { eventId: event.id, at, event: JSON.stringify(event) };
}

type Amended = Pick<RecordWithAnswer, 'id' | 'clientId' | 'principalId' | 'agentId' | 'currency'>;

export function amendedEvent(
  { id, clientId, principalId, agentId, currency }: Amended,
  change: Change,
  { environment, requestId, at }: Pick<BusEvent, 'environment' | 'requestId'> & { at: string },
): BusEvent<'authorization.amended'> {
  return {
    id: newId('event'),
    type: 'authorization.amended',
    environment,
    principalId,
    clientId,
    requestId,
    occurredAt: at,
    data: { authorizationId: id, agentId, currency, ...change },
  };
}
