import type { UpdatePrincipalRequest } from '@countersign/proto/identity';
import type { Reader, Transaction } from '../db.js';
import { oneOf, refusal } from '../refusal.js';
import { riskTiers, type VerificationStatus, verificationStatuses } from '../vocabulary.js';
import { sessionLifetimeMs, verificationStatus } from './verification.js';
import { findPrincipal, type WholePrincipal } from './view.js';

/** What is asked of a principal, and by whom: only the operator may go back on a result. */
export interface Resolution {
  principalId: string;
  byOperator: boolean;
  verificationStatus: VerificationStatus | null;
  riskTier: string | null;
}

/** Null where the session or principal that is named does not exist. Throws 422 on its words. */
export async function readResolution(
  reader: Reader,
  request: UpdatePrincipalRequest,
): Promise<Resolution | null> {
  const { id, verificationSessionId, clientId } = request;
  const session =
    verificationSessionId === undefined
      ? null
      : await reader.verificationSession.findUnique({ where: { id: verificationSessionId } });
  const principalId = verificationSessionId === undefined ? id : session?.principalId;
  if (principalId === undefined || (id !== undefined && id !== principalId)) return null;
  return {
    principalId,
    byOperator: verificationSessionId === undefined && clientId === undefined,
    verificationStatus:
      request.verificationStatus === undefined
        ? null
        : oneOf('verification_status', request.verificationStatus, verificationStatuses),
    riskTier:
      request.riskTier === undefined ? null : oneOf('risk_tier', request.riskTier, riskTiers),
  };
}

interface Resolving {
  current: WholePrincipal;
  resolution: Resolution;
  nowMs: number;
}

/** The principal with its new status, tier and session, or null where nothing changes. */
export async function resolveVerification(
  tx: Transaction,
  { current, resolution, nowMs }: Resolving,
): Promise<WholePrincipal | null> {
  const status = newStatus(current, { resolution, nowMs });
  const { riskTier } = resolution;
  const newTier = riskTier !== null && riskTier !== current.riskTier ? riskTier : null;
  if (status === null && newTier === null) return null;
  const now = new Date(nowMs);
  const { session } = current;
  const reopens = status === 'PENDING' && session !== null;
  const reopensUntil = reopens ? new Date(nowMs + sessionLifetimeMs) : null;
  await tx.principal.update({
    where: { id: current.id },
    data: {
      ...(status && { verificationStatus: status, verificationExpiresAt: reopensUntil }),
      ...(newTier && { riskTier: newTier }),
      version: { increment: 1 },
      updatedAt: now,
    },
  });
  if (status && session) {
    await tx.verificationSession.update({
      where: { id: session.id },
      data: reopensUntil
        ? { status: 'REQUIRES_INPUT', expiresAt: reopensUntil, resolvedAt: null }
        : { status, resolvedAt: now },
    });
  }
  return findPrincipal(tx, { id: current.id });
}

/**
 * The status to write, or null where it is that already. A provider or a client can only resolve
 * what is pending: a result that arrives again is no change, another one comes too late.
 */
function newStatus(
  current: WholePrincipal,
  { resolution, nowMs }: Omit<Resolving, 'current'>,
): VerificationStatus | null {
  const { verificationStatus: wanted, byOperator } = resolution;
  const now = verificationStatus(current, nowMs);
  if (wanted === null || wanted === now) return null;
  if (!byOperator && now !== 'PENDING') {
    throw refusal.conflict(`The verification is ${now} and no longer pending.`);
  }
  return wanted;
}
