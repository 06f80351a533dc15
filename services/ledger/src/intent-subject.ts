import { isoTime } from '@countersign/kernel/clock';
import type { IntentSubject } from '@countersign/proto/ledger';

/**
 * Bounds the list of a Principal's users, which is returned without pagination. Of a Principal
 * that has as many none is registered any more; a first use may still bind one for each issuer.
 */
export const maxSubjects = 200;

export interface IntentSubjectRow {
  principalId: string;
  issuer: string;
  subject: string;
  how: string;
  boundAt: Date;
  userKeyThumbprint: string | null;
  authorizationId: string | null;
}

export function subjectMessage(row: IntentSubjectRow): IntentSubject {
  const { principalId, issuer, subject, how, boundAt, userKeyThumbprint, authorizationId } = row;
  return {
    ...{ principalId, issuer, subject, how },
    boundAt: isoTime(boundAt.getTime()),
    userKeyThumbprint: userKeyThumbprint ?? undefined,
    authorizationId: authorizationId ?? undefined,
  };
}
