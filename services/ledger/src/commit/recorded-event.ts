import { packedEvent, recordedEventId } from '@countersign/kernel/packed-event';
import type { CommitRequest } from '@countersign/proto/ledger';
import type { Call } from '@countersign/runtime/grpc-types';
import { reasonDetailLiteral } from './answer-format.js';

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
  if (request.eventIsPacked) return packedEvent(envelope, request.eventDataJson.trim());
  return `${JSON.stringify(envelope).slice(0, -1)},"data":${wholeData(request)}}`;
}

/** A decision service of an earlier release states the reason only in the answer. */
function wholeData({ eventDataJson, eventIsWhole, answerHead, answerTemplate }: CommitRequest) {
  const data = eventDataJson.trim();
  if (eventIsWhole) return data;
  const comma = data === '{}' ? '' : ',';
  const detail = reasonDetailLiteral(answerHead || answerTemplate);
  return `${data.slice(0, -1)}${comma}"reasonDetail":${detail}}`;
}
