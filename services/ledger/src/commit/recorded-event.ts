import { packedEvent, recordedEventId } from '@countersign/kernel/packed-event';
import type { CommitRequest } from '@countersign/proto/ledger';
import type { Call } from '@countersign/runtime/grpc-types';

/**
 * The BusEvent of a proposal as JSON text. If the reason names an amount, it contains the same
 * markers as the answer, so that the database inserts the same values into both.
 */
export function recordedEventText(
  request: CommitRequest,
  { environment, requestId, trace }: Pick<Call, 'environment' | 'requestId' | 'trace'>,
  id = recordedEventId(request.authorizationId),
): string {
  const envelope = {
    id,
    type: 'authorization.recorded' as const,
    environment,
    principalId: request.principalId,
    clientId: request.clientId,
    requestId,
    occurredAt: request.decidedAt,
    ...(trace && { trace: trace.carrier }),
  };
  const data = request.eventDataJson.trim();
  if (request.eventIsPacked) return packedEvent(envelope, data);
  return `${JSON.stringify(envelope).slice(0, -1)},"data":${data}}`;
}
