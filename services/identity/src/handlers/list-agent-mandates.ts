import type { Context } from '../context.js';
import type { Prisma } from '../generated/prisma/client.js';
import { mandateView } from '../mandate/view.js';
import { ownAgent } from '../ownership.js';
import { oneOf } from '../refusal.js';
import { mandateStatuses } from '../vocabulary.js';
import type { Handler } from './handler.js';

const maxMandates = 1_000;

/** Newest first. EXPIRED is no stored status, so the filter is one of time. */
export function listAgentMandates(context: Context): Handler<'ListAgentMandates'> {
  return async ({ agentId, tenant, status }, { environment }) => {
    const { prisma } = context.stores[environment];
    const nowMs = context.clock();
    ownAgent(await prisma.agent.findUnique({ where: { id: agentId } }), tenant);
    const where = { agentId, ...(status !== undefined && withStatus(status, new Date(nowMs))) };
    const [mandates, total] = await Promise.all([
      prisma.mandate.findMany({ where, orderBy: { ordinal: 'desc' }, take: maxMandates }),
      prisma.mandate.count({ where }),
    ]);
    return { mandates: mandates.map((mandate) => mandateView(mandate, nowMs)), total };
  };
}

function withStatus(given: string, now: Date): Prisma.MandateWhereInput {
  const status = oneOf('status', given, mandateStatuses);
  if (status === 'REVOKED') return { status };
  return { status: 'ACTIVE', validUntil: status === 'EXPIRED' ? { lte: now } : { gt: now } };
}
