import type { CreateMandateRequest } from '@countersign/proto/identity';
import { agentChange, applyChange, recordChanges } from '../change.js';
import type { Context } from '../context.js';
import type { Transaction } from '../db.js';
import { lockAgent } from '../lock.js';
import { insertMandate } from '../mandate/create.js';
import { mandateView } from '../mandate/view.js';
import { refusal } from '../refusal.js';
import type { Handler } from './handler.js';

/**
 * A new mandate supersedes older ones on its rails, so granting it changes what the agent may do:
 * the agent's version is incremented and fenced, and a lower limit is enforced once the call
 * returns. The agent is locked first, which serializes this with a revocation and with a
 * concurrent repeat of the call.
 */
export function createMandate(context: Context): Handler<'CreateMandate'> {
  return async (request, call) => {
    const nowMs = context.clock();
    const mandate = await applyChange(context, call, async (tx) => {
      await lockAgent(tx, request.agentId);
      const current = await findAgent(tx, request);
      const existing = await tx.mandate.findUnique({ where: { id: request.id } });
      if (existing && existing.agentId !== current.id) throw refusal.idInUse(request.id);
      if (existing) return { result: existing, fencedIds: [current.id] };
      const plane = request.principalId === undefined ? 'onboarding' : 'runtime';
      if (current.status === 'REVOKED') throw refusal.agentRevoked(plane);
      const agent = await tx.agent.update({
        where: { id: current.id },
        data: { version: { increment: 1 }, updatedAt: new Date(nowMs) },
      });
      const result = await insertMandate(tx, request, {
        agent,
        program: current.program,
        plane,
        fieldPrefix: '',
        nowMs,
      });
      const changes = [agentChange(agent)];
      await recordChanges(tx, { ...call, nowMs }, { changes, fence: true });
      return { result, fencedIds: [agent.id] };
    });
    return mandateView(mandate, nowMs);
  };
}

/** An agent of the client; on the runtime API it must belong to the acting principal. */
async function findAgent(tx: Transaction, request: CreateMandateRequest) {
  const { agentId, clientId, principalId } = request;
  const agent = await tx.agent.findUnique({ where: { id: agentId }, include: { program: true } });
  if (!agent || agent.clientId !== clientId) throw refusal.agentNotFound();
  if (principalId !== undefined && agent.principalId !== principalId) {
    throw refusal.tenantMismatch('agent');
  }
  return agent;
}
