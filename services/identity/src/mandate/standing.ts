import type { MandateInput } from '@countersign/proto/identity';
import type { PrismaClient } from '../generated/prisma/client.js';
import { rails } from '../vocabulary.js';
import { mandateBytes, maxMandatesBytes } from './message.js';
import { mandateView } from './view.js';

/** What says whether a mandate can still be the one that is used. */
export interface Standing {
  id: string;
  rails: string[];
  validFrom: Date;
  validUntil: Date;
  createdAt: Date;
}

const standing = { id: true, rails: true, validFrom: true, validUntil: true, createdAt: true };
/** Of so many, the newest, it is asked whether they matter. */
const maxLooked = 1_000;
const maxSent = 100;
/** By so much the clock of whoever decides may be behind. */
const skewMs = 60_000;

interface Asked {
  agentId: string;
  /** One that is wanted in any case. */
  mandateId: string | undefined;
  nowMs: number;
}

/**
 * Of an agent with many mandates, those that may still be used, newest first; of each rail the
 * newest too, whatever has become of it, since it says why there is none. Mandates for one occasion
 * pile up, and do not hide the standing one behind them.
 */
export async function standingMandates(
  prisma: PrismaClient,
  { agentId, mandateId, nowMs }: Asked,
): Promise<MandateInput[]> {
  const active = { agentId, status: 'ACTIVE' };
  const newestFirst = { ordinal: 'desc' } as const;
  const [unended, ...newest] = await Promise.all([
    prisma.mandate.findMany({
      where: { ...active, validUntil: { gt: new Date(nowMs - skewMs) } },
      select: standing,
      orderBy: newestFirst,
      take: maxLooked,
    }),
    ...rails.map((rail) =>
      prisma.mandate.findFirst({
        where: { ...active, rails: { has: rail } },
        select: standing,
        orderBy: newestFirst,
      }),
    ),
  ]);
  const wanted = [...usable(unended, nowMs).slice(0, maxSent), ...newest.flatMap((m) => m ?? [])];
  const ids = [...wanted.map(({ id }) => id), ...(mandateId === undefined ? [] : [mandateId])];
  const records = await prisma.mandate.findMany({
    where: { ...active, id: { in: ids } },
    orderBy: newestFirst,
  });
  const mandates = records.map((record) => mandateView(record, null));
  return withinMessage(mandates, mandateId);
}

/**
 * Leaves out what a newer one stands before from now on, until its end and on all its rails. Takes
 * and returns the newest first. What remains is bounded by the caller: the newest fit the message.
 */
export function usable<M extends Standing>(newestFirst: readonly M[], nowMs: number): M[] {
  const kept: M[] = [];
  for (const mandate of newestFirst) {
    if (!kept.some((newer) => standsBefore(newer, mandate, nowMs))) kept.push(mandate);
  }
  return kept;
}

function standsBefore(newer: Standing, older: Standing, nowMs: number): boolean {
  const beganAt = newer.validFrom.getTime();
  const hasBegun = beganAt <= newer.createdAt.getTime() || beganAt <= nowMs - skewMs;
  return (
    hasBegun &&
    newer.validUntil >= older.validUntil &&
    older.rails.every((rail) => newer.rails.includes(rail))
  );
}

function withinMessage(mandates: MandateInput[], always: string | undefined): MandateInput[] {
  let bytes = 0;
  return mandates.filter((mandate) => {
    bytes += mandateBytes(mandate);
    return bytes <= maxMandatesBytes || mandate.id === always;
  });
}
