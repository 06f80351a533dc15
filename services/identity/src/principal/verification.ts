import type { VerificationSessionInput } from '@countersign/proto/identity';

/** How long a Principal has to complete the provider's session. */
export const sessionLifetimeMs = 24 * 3_600_000;

interface Verifiable {
  verificationStatus: string;
  verificationExpiresAt: Date | number | null;
}

/** Status at this moment: what is pending past its session's end reads EXPIRED. */
export function verificationStatus(record: Verifiable, nowMs: number): string {
  const { verificationStatus: status, verificationExpiresAt: expiresAt } = record;
  const ended = expiresAt !== null && new Date(expiresAt).getTime() <= nowMs;
  return status === 'PENDING' && ended ? 'EXPIRED' : status;
}

export interface SessionRecord {
  id: string;
  type: string;
  provider: string;
  status: string;
  url: string;
  expiresAt: Date;
  createdAt: Date;
}

const openStatuses = ['REQUIRES_INPUT', 'PROCESSING'];

export function sessionView(record: SessionRecord, nowMs: number): VerificationSessionInput {
  const ended = record.expiresAt.getTime() <= nowMs && openStatuses.includes(record.status);
  return {
    id: record.id,
    type: record.type,
    provider: record.provider,
    status: ended ? 'EXPIRED' : record.status,
    url: record.url,
    expiresAt: record.expiresAt.toISOString(),
    createdAt: record.createdAt.toISOString(),
  };
}
