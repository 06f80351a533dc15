import type { BusEvent } from '@countersign/kernel/event';
import { packedEvent, recordedEventId, unpackedEvent } from '@countersign/kernel/packed-event';
import type { CommitRequest } from '@countersign/proto/ledger';

/** The event that the ledger publishes of a proposal, as its consumers are handed it. */
export function proposedEvent(proposal: CommitRequest): BusEvent<'authorization.recorded'> {
  const { authorizationId, clientId, principalId, decidedAt, eventDataJson } = proposal;
  const envelope = {
    id: recordedEventId(authorizationId),
    type: 'authorization.recorded',
    environment: 'live',
    principalId,
    clientId,
    requestId: null,
    occurredAt: decidedAt,
  } as const;
  if (!proposal.eventIsPacked) return { ...envelope, data: JSON.parse(eventDataJson) };
  return unpackedEvent(JSON.parse(packedEvent(envelope, eventDataJson)), envelope.environment);
}
