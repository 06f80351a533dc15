import type { Transaction } from '../db.js';

/** One that is PAUSED goes on later, and may be prepared; what is CLOSED takes nobody new. */
export function isClosed({ status }: { status: string }): boolean {
  return status === 'CLOSED';
}

/** Those of these programs that still take somebody, in the order given. */
export async function openPrograms(tx: Transaction, ids: readonly string[]): Promise<string[]> {
  const programs = await tx.program.findMany({
    where: { id: { in: [...ids] } },
    select: { id: true, status: true },
  });
  const closed = new Set(programs.filter(isClosed).map(({ id }) => id));
  return ids.filter((id) => !closed.has(id));
}
