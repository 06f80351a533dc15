import type { VerificationSessionInput } from '@countersign/proto/identity';
import type { Config } from '../config.js';
import type { Transaction } from '../db.js';

/** The time that a Principal has to complete a provider's session. */
export const sessionLifetimeMs = 24 * 3_600_000;

interface Verifiable {
  verificationStatus: string;
  verificationExpiresAt: Date | number | null;
}

/** The status at `nowMs`: EXPIRED is not stored, but follows from the end of the session. */
export function verificationStatus(record: Verifiable, nowMs: number): string {
  const { verificationStatus: status, verificationExpiresAt: expiresAt } = record;
  const isPast = expiresAt !== null && new Date(expiresAt).getTime() <= nowMs;
  return status === 'PENDING' && isPast ? 'EXPIRED' : status;
}

interface SessionRecord {
  id: string;
  type: string;
  provider: string;
  status: string;
  url: string;
  expiresAt: Date;
  createdAt: Date;
}

export interface NewSession {
  id: string;
  principalId: string;
  type: string;
  createdAt: Date;
  expiresAt: Date;
  config: Pick<Config, 'verificationProvider' | 'verificationUrl'>;
}

export async function insertSession(
  tx: Transaction,
  { config, ...session }: NewSession,
): Promise<void> {
  await tx.verificationSession.create({
    data: {
      ...session,
      provider: config.verificationProvider,
      status: 'REQUIRES_INPUT',
      url: `${config.verificationUrl}/${session.id}`,
    },
  });
}

const openStatuses = ['REQUIRES_INPUT', 'PROCESSING'];

export function sessionView(record: SessionRecord, nowMs: number): VerificationSessionInput {
  const isExpired = record.expiresAt.getTime() <= nowMs && openStatuses.includes(record.status);
  return {
    id: record.id,
    type: record.type,
    provider: record.provider,
    status: isExpired ? 'EXPIRED' : record.status,
    url: record.url,
    expiresAt: record.expiresAt.toISOString(),
    createdAt: record.createdAt.toISOString(),
  };
}
