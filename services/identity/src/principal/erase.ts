import type { Transaction } from '../db.js';
import { lockAgentsOf } from '../lock.js';
import { refusal } from '../refusal.js';
import { type FullPrincipal, findPrincipal } from './view.js';

/** Stands where a text is required. */
const erased = 'erased';

/**
 * Deletes what says who the principal is, and what a Client wrote about it and its agents. Ids,
 * DIDs, limits and states stay, since decisions on record refer to them. Without the data that was
 * verified there is no verification. Throws if there is no such principal.
 */
export async function erase(
  tx: Transaction,
  { id, nowMs }: { id: string; nowMs: number },
): Promise<FullPrincipal> {
  // First the agents: who grants a mandate has locked one, and its foreign key then needs the
  // principal, whose change of `clientCustomerRef` excludes it.
  await lockAgentsOf(tx, id);
  await tx.agent.updateMany({
    where: { principalId: id },
    data: { name: erased, externalAgentRef: null, metadataJson: '{}' },
  });
  await tx.agentStatusChange.updateMany({
    where: { agent: { principalId: id } },
    data: { reason: erased },
  });
  await tx.principal.updateMany({
    where: { id },
    data: {
      clientCustomerRef: null,
      attestationJson: null,
      metadataJson: '{}',
      verificationStatus: 'EXPIRED',
      verificationExpiresAt: null,
      version: { increment: 1 },
      updatedAt: new Date(nowMs),
    },
  });
  await tx.profile.deleteMany({ where: { principalId: id } });
  // Nobody is asked any more who the principal is.
  await tx.verificationSession.updateMany({
    where: { principalId: id, resolvedAt: null },
    data: { status: 'EXPIRED', resolvedAt: new Date(nowMs) },
  });
  const principal = await findPrincipal(tx, { id });
  if (!principal) throw refusal.principalNotFound();
  return principal;
}
