import { packedData } from '@countersign/kernel/packed-event';
import type { CommitRequest } from '@countersign/proto/ledger';

/** The proposal with its event as values. */
export function withPackedEvent(request: CommitRequest): CommitRequest {
  const eventDataJson = packedData(JSON.parse(request.eventDataJson));
  return { ...request, eventDataJson, eventIsPacked: true };
}
