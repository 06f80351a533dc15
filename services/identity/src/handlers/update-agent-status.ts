import { type AgentStatus, agentStatuses } from '@countersign/kernel/vocabulary';
import {
  type MandateLookedAt,
  mandateChanges,
  mandatesAtOnce,
  remainingBelow,
} from '../agent/revocations.js';
import { putPendingRevocation, revokeAgentMandates } from '../agent/sql.js';
import { isStatusChange } from '../agent/status.js';
import { agentView } from '../agent/view.js';
import { agentChange, applyChange, type Change, recordChanges } from '../change.js';
import type { Context } from '../context.js';
import type { Transaction } from '../db.js';
import { oneOf } from '../field-errors.js';
import type { Agent } from '../generated/prisma/client.js';
import { lockAgent } from '../lock.js';
import { requireOwnAgent } from '../ownership.js';
import type { Handler } from './handler.js';

/**
 * Suspends, reactivates or revokes an agent. A revocation also revokes its unexpired mandates, in
 * the same transaction unless they are too many for one; the ledger denies its pending challenges
 * when it accepts the fence.
 */
export function updateAgentStatus(context: Context): Handler<'UpdateAgentStatus'> {
  return async (request, call) => {
    const { id, tenant, reason } = request;
    const status = oneOf('status', request.status, agentStatuses);
    const nowMs = context.clock();
    const agent = await applyChange(context, call, async (tx) => {
      await lockAgent(tx, id);
      const current = requireOwnAgent(await tx.agent.findUnique({ where: { id } }), tenant);
      const fromStatus = oneOf('status', current.status, agentStatuses);
      if (!isStatusChange(fromStatus, status)) return { result: current, fencedIds: [id] };
      const changed = await changeStatus(tx, id, { status, nowMs });
      const { requestId } = call;
      const changedAt = new Date(nowMs);
      await tx.agentStatusChange.create({
        data: { agentId: id, fromStatus, toStatus: status, reason, requestId, changedAt },
      });
      const changes = [agentChange(changed)];
      const revoked = status === 'REVOKED';
      if (revoked) changes.push(...(await revokeMandates(tx, changed, { requestId, nowMs })));
      const recording = { changes, fence: true, ...(revoked && { revokedAgentId: id }) };
      await recordChanges(tx, { ...call, nowMs }, recording);
      return { result: changed, fencedIds: changes.map((change) => change.entityId) };
    });
    return agentView(agent);
  };
}

function changeStatus(
  tx: Transaction,
  id: string,
  { status, nowMs }: { status: AgentStatus; nowMs: number },
): Promise<Agent> {
  return tx.agent.update({
    where: { id },
    data: { status, version: { increment: 1 }, updatedAt: new Date(nowMs) },
  });
}

/** Revokes the newest mandates, and leaves the rest to the loop that revokes it in batches. */
async function revokeMandates(
  tx: Transaction,
  agent: Agent,
  { requestId, nowMs }: { requestId: string; nowMs: number },
): Promise<Change[]> {
  const revokedAt = new Date(nowMs);
  const mandates = await tx.$queryRawUnsafe<MandateLookedAt[]>(
    revokeAgentMandates,
    agent.id,
    revokedAt,
    agent.version,
    mandatesAtOnce,
  );
  const below = remainingBelow(mandates);
  if (below !== null) {
    await tx.$executeRawUnsafe(putPendingRevocation, agent.id, below, requestId, revokedAt);
  }
  return mandateChanges(mandates, agent);
}
