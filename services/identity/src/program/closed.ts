import type { Transaction } from '../db.js';

/** A PAUSED program still accepts principals and agents, since it will be resumed. */
export function isClosed({ status }: { status: string }): boolean {
  return status === 'CLOSED';
}

/** The programs that are not closed, in the given order. */
export async function openPrograms(tx: Transaction, ids: readonly string[]): Promise<string[]> {
  const programs = await tx.program.findMany({
    where: { id: { in: [...ids] } },
    select: { id: true, status: true },
  });
  const closed = new Set(programs.filter(isClosed).map(({ id }) => id));
  return ids.filter((id) => !closed.has(id));
}
