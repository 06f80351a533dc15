import type { PrismaClient } from '../generated/prisma/client.js';
import { applyChanges, type ThresholdChange } from './changes.js';
import type { Overrides } from './table.js';

/** Seed of the keys of advisory locks; others lock agents (0) and fraud cases (1). */
const lockSeed = 2;

export async function readOverrides(prisma: PrismaClient, principalId: string): Promise<Overrides> {
  const row = await prisma.thresholdOverride.findUnique({ where: { principalId } });
  return asOverrides(row?.overrides);
}

export function asOverrides(stored: unknown): Overrides {
  return (stored ?? {}) as Overrides;
}

/**
 * Changes of one Principal wait for each other, so that each is validated against the result of
 * the one before it. The row alone could not be locked, because there is none before the first
 * change; it is locked as well, because a reset takes no other lock. Those of one process come one
 * by one: see Turns.
 */
export function changeOverrides(
  prisma: PrismaClient,
  principalId: string,
  changes: unknown,
): Promise<ThresholdChange> {
  return prisma.$transaction(async (tx) => {
    await tx.$executeRaw`
      SELECT pg_advisory_xact_lock(hashtextextended(${principalId}, ${lockSeed}))`;
    const [row] = await tx.$queryRaw<Array<{ overrides: unknown }>>`
      SELECT overrides FROM threshold_override WHERE principal_id = ${principalId} FOR UPDATE`;
    const change = applyChanges(asOverrides(row?.overrides), changes);
    const { overrides } = change;
    await tx.thresholdOverride.upsert({
      where: { principalId },
      create: { principalId, overrides },
      update: { overrides, version: { increment: 1 }, updatedAt: new Date() },
    });
    return change;
  });
}

/** Keeps the row and increments its version, by which caches notice the change. */
export async function clearOverrides(prisma: PrismaClient, principalId: string): Promise<void> {
  await prisma.thresholdOverride.updateMany({
    where: { principalId },
    data: { overrides: {}, version: { increment: 1 }, updatedAt: new Date() },
  });
}
