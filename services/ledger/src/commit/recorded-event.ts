import type { CommitRequest } from '@countersign/proto/ledger';
import type { Call } from '@countersign/runtime/grpc-types';
import { reasonDetailLiteral } from './answer-format.js';

/** Derived from the authorization id, so that a retry makes the same event and not a second one. */
export function recordedEventId(authorizationId: string): string {
  return `evt_${authorizationId.slice(authorizationId.indexOf('_') + 1)}`;
}

/**
 * The BusEvent of a proposal as JSON text, under the id that follows from the authorization's
 * unless another is given. It has the markers of the answer where the reason names an amount, so
 * the database fills both with the same values.
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
    // Without one it is left out of the text.
    trace: trace?.carrier,
  });
  const data = request.eventDataJson.trim();
  const comma = data === '{}' ? '' : ',';
  const detail = reasonDetailLiteral(request.answerHead || request.answerTemplate);
  return `${head.slice(0, -1)},"data":${data.slice(0, -1)}${comma}"reasonDetail":${detail}}}`;
}
