import type { CommitRequest } from '@countersign/proto/ledger';
import type { Call } from '@countersign/runtime/grpc-types';
import { reasonDetailLiteral } from './answer-format.js';

/** Derived from the authorization id, so that a retry does not create a second event. */
export function recordedEventId(authorizationId: string): string {
  return `evt_${authorizationId.slice(authorizationId.indexOf('_') + 1)}`;
}

/**
 * The BusEvent of a proposal as JSON text. If the reason names an amount, it contains the same
 * markers as the answer, so that the database inserts the same values into both.
 */
export function recordedEventText(
  request: CommitRequest,
  { environment, requestId, trace }: Pick<Call, 'environment' | 'requestId' | 'trace'>,
  id = recordedEventId(request.authorizationId),
): string {
  const head = JSON.stringify({
    id,
    type: 'authorization.recorded',
    environment,
    principalId: request.principalId,
    clientId: request.clientId,
    requestId,
    occurredAt: request.decidedAt,
    // Omitted if the call is not traced.
    trace: trace?.carrier,
  });
  return `${head.slice(0, -1)},"data":${wholeData(request)}}`;
}

/** A decision service of an earlier release states the reason only in the answer. */
function wholeData({ eventDataJson, eventIsWhole, answerHead, answerTemplate }: CommitRequest) {
  const data = eventDataJson.trim();
  if (eventIsWhole) return data;
  const comma = data === '{}' ? '' : ',';
  const detail = reasonDetailLiteral(answerHead || answerTemplate);
  return `${data.slice(0, -1)}${comma}"reasonDetail":${detail}}`;
}
