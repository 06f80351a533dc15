import { mandateStatuses } from '@countersign/kernel/vocabulary';
import type { MandateInput } from '@countersign/proto/identity';
import type { Context } from '../context.js';
import { oneOf } from '../field-errors.js';
import type { Mandate, Prisma, PrismaClient } from '../generated/prisma/client.js';
import { mandateBytes } from '../mandate/message.js';
import { mandateView } from '../mandate/view.js';
import { requireOwnAgent } from '../ownership.js';
import type { Handler } from './handler.js';

const maxMandates = 1_000;
/** About a thousand mandates without long lists. */
const maxBytes = 1_000_000;
/** Bounds the memory of one read: a mandate has up to 250 KB. */
const readBatchSize = 10;

/** Newest first. EXPIRED is not stored, so it is filtered by time. */
export function listAgentMandates(context: Context): Handler<'ListAgentMandates'> {
  return async ({ agentId, tenant, status, before }, { environment }) => {
    const { prisma } = context.stores[environment];
    const nowMs = context.clock();
    requireOwnAgent(await prisma.agent.findUnique({ where: { id: agentId } }), tenant);
    const where = { agentId, ...(status !== undefined && withStatus(status, new Date(nowMs))) };
    const total = await prisma.mandate.count({ where });
    const mandates: MandateInput[] = [];
    let bytes = 0;
    let nextBefore = before;
    for await (const record of newestFirst(prisma, where, before)) {
      const mandate = mandateView(record, nowMs);
      bytes += mandateBytes(mandate);
      const isFull = mandates.length === maxMandates || bytes > maxBytes;
      // A page without any mandate would make no progress.
      if (isFull && mandates.length > 0) return { mandates, total, nextBefore };
      mandates.push(mandate);
      nextBefore = record.ordinal;
    }
    return { mandates, total };
  };
}

async function* newestFirst(
  prisma: PrismaClient,
  where: Prisma.MandateWhereInput,
  before: number | undefined,
): AsyncGenerator<Mandate> {
  for (let ordinal = before; ; ) {
    const records = await prisma.mandate.findMany({
      where: { ...where, ...(ordinal !== undefined && { ordinal: { lt: ordinal } }) },
      orderBy: { ordinal: 'desc' },
      take: readBatchSize,
    });
    yield* records;
    ordinal = records.at(-1)?.ordinal;
    if (records.length < readBatchSize) return;
  }
}

function withStatus(given: string, now: Date): Prisma.MandateWhereInput {
  const status = oneOf('status', given, mandateStatuses);
  if (status === 'REVOKED') return { status };
  return { status: 'ACTIVE', validUntil: status === 'EXPIRED' ? { lte: now } : { gt: now } };
}
