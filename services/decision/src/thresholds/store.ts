import { Fault } from '@countersign/kernel/fault';
import { Prisma, type PrismaClient } from '../generated/prisma/client.js';
import { applyChanges, type ThresholdChange } from './changes.js';
import type { Overrides } from './table.js';

/** Concurrent changes are retried on the new version (optimistic locking). */
const maxAttempts = 8;

export async function readOverrides(prisma: PrismaClient, principalId: string): Promise<Overrides> {
  const row = await prisma.thresholdOverride.findUnique({ where: { principalId } });
  return asOverrides(row?.overrides);
}

export function asOverrides(stored: unknown): Overrides {
  return (stored ?? {}) as Overrides;
}

export async function changeOverrides(
  prisma: PrismaClient,
  principalId: string,
  changes: unknown,
): Promise<ThresholdChange> {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const row = await prisma.thresholdOverride.findUnique({ where: { principalId } });
    const change = applyChanges(asOverrides(row?.overrides), changes);
    if (await store(prisma, { principalId, version: row?.version ?? 0, change })) return change;
  }
  throw new Fault('unavailable', {
    code: 'SERVICE_UNAVAILABLE',
    message: 'The thresholds are being changed by others; try again.',
  });
}

/** Keeps the row and increments its version, so that a concurrent change notices it is outdated. */
export async function clearOverrides(prisma: PrismaClient, principalId: string): Promise<void> {
  await prisma.thresholdOverride.updateMany({
    where: { principalId },
    data: { overrides: {}, version: { increment: 1 }, updatedAt: new Date() },
  });
}

/** False when another change was stored first; version 0 stands for no row. */
async function store(
  prisma: PrismaClient,
  { principalId, version, change }: StoreRequest,
): Promise<boolean> {
  const { overrides } = change;
  if (version > 0) {
    const { count } = await prisma.thresholdOverride.updateMany({
      where: { principalId, version },
      data: { overrides, version: version + 1, updatedAt: new Date() },
    });
    return count === 1;
  }
  try {
    await prisma.thresholdOverride.create({ data: { principalId, overrides } });
    return true;
  } catch (error) {
    if (isUniqueViolation(error)) return false;
    throw error;
  }
}

interface StoreRequest {
  principalId: string;
  version: number;
  change: ThresholdChange;
}

function isUniqueViolation(error: unknown): boolean {
  return error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002';
}
