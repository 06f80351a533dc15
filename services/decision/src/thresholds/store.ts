import { randomInt } from 'node:crypto';
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
 * By which caches notice a change. Not the next number: a standby that lagged behind when it took
 * over may lack the change that has this one, and another would look as if it were that.
 */
function newVersion(): number {
  return randomInt(1, 2 ** 30);
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
    const set = { overrides: change.overrides, version: newVersion() };
    await tx.thresholdOverride.upsert({
      where: { principalId },
      create: { principalId, ...set },
      update: { ...set, updatedAt: new Date() },
    });
    return change;
  });
}

/** Keeps the row, since caches look for another version. */
export async function clearOverrides(prisma: PrismaClient, principalId: string): Promise<void> {
  await prisma.thresholdOverride.updateMany({
    where: { principalId },
    data: { overrides: {}, version: newVersion(), updatedAt: new Date() },
  });
}
