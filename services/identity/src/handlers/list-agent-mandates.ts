import { mandateStatuses } from '@countersign/kernel/vocabulary';
import type { MandateInput } from '@countersign/proto/identity';
import type { Pool } from '@countersign/runtime/database';
import type { Context } from '../context.js';
import { oneOf } from '../field-errors.js';
import type { Mandate, Prisma } from '../generated/prisma/client.js';
import { mandateBytes } from '../mandate/message.js';
import { unexpiredOrdinals } from '../mandate/sql.js';
import { mandateView } from '../mandate/view.js';
import { requireOwnAgent } from '../ownership.js';
import type { Handler } from './handler.js';

const maxMandates = 1_000;
/** About a thousand mandates without long lists. */
const maxBytes = 1_000_000;
/** Bounds the memory of one read: a mandate has up to 250 KB. */
const readBatchSize = 10;
/** Greater than any, in the type of the column. */
const maxOrdinal = 2 ** 31 - 1;

/**
 * Newest first. EXPIRED is not stored, so it is filtered by time: those that are ACTIVE are found
 * first, since they can be few among many that are not.
 */
export function listAgentMandates(context: Context): Handler<'ListAgentMandates'> {
  return async ({ agentId, tenant, status, before }, { environment }) => {
    const { prisma, pool } = context.stores[environment];
    const nowMs = context.clock();
    requireOwnAgent(await prisma.agent.findUnique({ where: { id: agentId } }), tenant);
    const where = { agentId, ...(status !== undefined && withStatus(status, new Date(nowMs))) };
    const total = await prisma.mandate.count({ where });
    const mandates: MandateInput[] = [];
    let bytes = 0;
    let nextBefore = before;
    const read = (of: Prisma.MandateWhereInput) =>
      prisma.mandate.findMany({
        where: { ...where, ...of },
        orderBy: { ordinal: 'desc' },
        take: readBatchSize,
      });
    const wanted =
      status === 'ACTIVE' ? await unexpired(pool, { agentId, nowMs, before }) : undefined;
    const records = wanted ? named(read, wanted) : newestFirst(read, before);
    for await (const record of records) {
      const mandate = mandateView(record, nowMs);
      bytes += mandateBytes(mandate);
      const isFull = mandates.length === maxMandates || bytes > maxBytes;
      // A page without any mandate would make no progress.
      if (isFull && mandates.length > 0) return { mandates, total, nextBefore };
      mandates.push(mandate);
      nextBefore = record.ordinal;
    }
    // Some of those that were found active may no longer have been when they were read.
    const hasMore = wanted !== undefined && wanted.length > maxMandates;
    return { mandates, total, ...(hasMore && { nextBefore: wanted.at(-1) }) };
  };
}

type Read = (of: Prisma.MandateWhereInput) => Promise<Mandate[]>;

async function* newestFirst(read: Read, before: number | undefined): AsyncGenerator<Mandate> {
  for (let ordinal = before; ; ) {
    const records = await read(ordinal === undefined ? {} : { ordinal: { lt: ordinal } });
    yield* records;
    ordinal = records.at(-1)?.ordinal;
    if (records.length < readBatchSize) return;
  }
}

async function* named(read: Read, ordinals: readonly number[]): AsyncGenerator<Mandate> {
  for (let first = 0; first < ordinals.length; first += readBatchSize) {
    yield* await read({ ordinal: { in: ordinals.slice(first, first + readBatchSize) } });
  }
}

interface Wanted {
  agentId: string;
  nowMs: number;
  before: number | undefined;
}

/** Those of a page, and one more if there is another page. */
async function unexpired(pool: Pool, { agentId, nowMs, before }: Wanted): Promise<number[]> {
  const values = [agentId, new Date(nowMs), before ?? maxOrdinal, maxMandates + 1];
  const { rows } = await pool.query<{ ordinal: number }>({ ...unexpiredOrdinals, values });
  return rows.map(({ ordinal }) => ordinal);
}

function withStatus(given: string, now: Date): Prisma.MandateWhereInput {
  const status = oneOf('status', given, mandateStatuses);
  if (status === 'REVOKED') return { status };
  return { status: 'ACTIVE', validUntil: status === 'EXPIRED' ? { lte: now } : { gt: now } };
}
