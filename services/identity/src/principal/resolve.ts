import { newId } from '@countersign/kernel/id';
import {
  riskTiers,
  type VerificationStatus,
  verificationStatuses,
} from '@countersign/kernel/vocabulary';
import type { UpdatePrincipalRequest } from '@countersign/proto/identity';
import type { Reader, Transaction } from '../db.js';
import { oneOf } from '../field-errors.js';
import { refusal } from '../refusal.js';
import {
  insertSession,
  type NewSession,
  sessionLifetimeMs,
  verificationStatus,
} from './verification.js';
import { type FullPrincipal, findPrincipal } from './view.js';

/** A requested change of a verification. Only the operator may change a result once it is set. */
interface Resolution {
  principalId: string;
  /** Set if the result is that of a session. */
  sessionId: string | null;
  byOperator: boolean;
  verificationStatus: VerificationStatus | null;
  riskTier: string | null;
}

/**
 * Null if the session does not exist or belongs to another principal. Throws 422 on bad values.
 */
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
    sessionId: session?.id ?? null,
    byOperator: verificationSessionId === undefined && clientId === undefined,
    verificationStatus:
      request.verificationStatus === undefined
        ? null
        : oneOf('verification_status', request.verificationStatus, verificationStatuses),
    riskTier:
      request.riskTier === undefined ? null : oneOf('risk_tier', request.riskTier, riskTiers),
  };
}

interface ResolutionContext {
  current: FullPrincipal;
  resolution: Resolution;
  nowMs: number;
  config: NewSession['config'];
}

/** Writes the new status, risk tier and session. Returns null if nothing changes. */
export async function resolveVerification(
  tx: Transaction,
  context: ResolutionContext,
): Promise<FullPrincipal | null> {
  const { current, resolution, nowMs } = context;
  const status = newStatus(current, { resolution, nowMs });
  const { riskTier } = resolution;
  const newTier = riskTier !== null && riskTier !== current.riskTier ? riskTier : null;
  if (status === null && newTier === null) return null;
  const reopens = status === 'PENDING' && current.session !== null;
  const expiresAt = reopens ? new Date(nowMs + sessionLifetimeMs) : null;
  await tx.principal.update({
    where: { id: current.id },
    data: {
      ...(status && { verificationStatus: status, verificationExpiresAt: expiresAt }),
      ...(newTier && { riskTier: newTier }),
      version: { increment: 1 },
      updatedAt: new Date(nowMs),
    },
  });
  if (status) await updateSession(tx, context, { status, expiresAt });
  return findPrincipal(tx, { id: current.id });
}

/** Ends the session with the status, or follows it by one that is open until `expiresAt`. */
async function updateSession(
  tx: Transaction,
  { current: { id: principalId, session }, nowMs, config }: ResolutionContext,
  { status, expiresAt }: { status: VerificationStatus; expiresAt: Date | null },
): Promise<void> {
  if (session === null) return;
  if (expiresAt === null) {
    await tx.verificationSession.update({
      where: { id: session.id },
      data: { status, resolvedAt: new Date(nowMs) },
    });
    return;
  }
  await insertSession(tx, {
    // What is still to come of the former session says nothing about who is asked now.
    id: newId('verificationSession'),
    principalId,
    type: session.type,
    // The newest, also where the clock of the instance that created the former one is ahead.
    createdAt: new Date(Math.max(nowMs, session.createdAt.getTime() + 1)),
    expiresAt,
    config,
  });
}

/**
 * The status to write, or null if it does not change. A provider or a client can only resolve a
 * pending verification: repeating a result changes nothing, and a different result is a conflict.
 * Where personal data was erased, there is nobody to verify until there is a profile again.
 */
function newStatus(
  current: FullPrincipal,
  { resolution, nowMs }: Pick<ResolutionContext, 'resolution' | 'nowMs'>,
): VerificationStatus | null {
  const { verificationStatus: requested, byOperator, sessionId } = resolution;
  if (sessionId !== null && sessionId !== current.session?.id) {
    throw refusal.conflict(`The session ${sessionId} is over: the verification has a newer one.`);
  }
  const status = verificationStatus(current, nowMs);
  if (requested === null || requested === status) return null;
  if (!current.profile) throw refusal.personalDataErased();
  if (!byOperator && status !== 'PENDING') {
    throw refusal.conflict(`The verification is ${status} and no longer pending.`);
  }
  return requested;
}
