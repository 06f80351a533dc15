import { restoredAnswer } from '@countersign/kernel/stored-answer';
import type { CommitRequest } from '@countersign/proto/ledger';

/** From what is stored, and the columns of the record. */
export function publicAnswer(request: CommitRequest, stored: string): string {
  const { agentId = null, mandateId = null, mandateHash = null } = request;
  const { mcc = null, country = null, merchantId = null } = request;
  return restoredAnswer(stored, {
    ...request,
    id: request.authorizationId,
    ...{ agentId, mandateId, mandateHash, mcc, country, merchantId },
  });
}
