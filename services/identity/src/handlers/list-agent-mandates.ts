import type { MandateInput } from '@countersign/proto/identity';
import type { Context } from '../context.js';
import type { Mandate, Prisma, PrismaClient } from '../generated/prisma/client.js';
import { mandateBytes, maxMandatesBytes } from '../mandate/message.js';
import { mandateView } from '../mandate/view.js';
import { ownAgent } from '../ownership.js';
import { oneOf } from '../refusal.js';
import { mandateStatuses } from '../vocabulary.js';
import type { Handler } from './handler.js';

const maxMandates = 1_000;
const readAtOnce = 100;

/** Newest first. EXPIRED is no stored status, so the filter is one of time. */
export function listAgentMandates(context: Context): Handler<'ListAgentMandates'> {
  return async ({ agentId, tenant, status, before }, { environment }) => {
    const { prisma } = context.stores[environment];
    const nowMs = context.clock();
    ownAgent(await prisma.agent.findUnique({ where: { id: agentId } }), tenant);
    const where = { agentId, ...(status !== undefined && withStatus(status, new Date(nowMs))) };
    const total = await prisma.mandate.count({ where });
    const mandates: MandateInput[] = [];
    let bytes = 0;
    let nextBefore = before;
    for await (const record of newestFirst(prisma, where, before)) {
      const mandate = mandateView(record, nowMs);
      bytes += mandateBytes(mandate);
      const isFull = mandates.length === maxMandates || bytes > maxMandatesBytes;
      // The first fits in any case.
      if (isFull && mandates.length > 0) return { mandates, total, nextBefore };
      mandates.push(mandate);
      nextBefore = record.ordinal;
    }
    return { mandates, total };
  };
}

/** As many at once as memory can hold of the largest. */
async function* newestFirst(
  prisma: PrismaClient,
  where: Prisma.MandateWhereInput,
  before: number | undefined,
): AsyncGenerator<Mandate> {
  for (let ordinal = before; ; ) {
    const records = await prisma.mandate.findMany({
      where: { ...where, ...(ordinal !== undefined && { ordinal: { lt: ordinal } }) },
      orderBy: { ordinal: 'desc' },
      take: readAtOnce,
    });
    yield* records;
    ordinal = records.at(-1)?.ordinal;
    if (records.length < readAtOnce) return;
  }
}

function withStatus(given: string, now: Date): Prisma.MandateWhereInput {
  const status = oneOf('status', given, mandateStatuses);
  if (status === 'REVOKED') return { status };
  return { status: 'ACTIVE', validUntil: status === 'EXPIRED' ? { lte: now } : { gt: now } };
}
