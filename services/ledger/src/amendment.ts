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
  record: RecordWithAnswer,
  change: Change,
  { call, clock }: { call: Call; clock: Clock },
): Amendment {
  const at = isoTime(clock());
  const event: BusEvent<'authorization.amended'> = {
    id: newId('event'),
    type: 'authorization.amended',
    environment: call.environment,
    principalId: record.principalId,
    clientId: record.clientId,
    requestId: call.requestId,
    occurredAt: at,
    data: {
      authorizationId: record.id,
      agentId: record.agentId,
      currency: record.currency,
      ...change,
    },
  };
  return { eventId: event.id, at, event: JSON.stringify(event) };
}
