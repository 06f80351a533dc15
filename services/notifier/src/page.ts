import { Fault } from '@countersign/kernel/fault';
import type { PageRequest } from '@countersign/proto/conventions';

const maxLimit = 100;

/** Rows to fetch: one more than the page, which shows whether another page follows. */
export function takeOf(page: PageRequest | null): number {
  const limit = page?.limit ?? 0;
  if (limit < 1 || limit > maxLimit) {
    throw new Fault('internal', { code: 'INTERNAL_ERROR', message: `a page of ${limit}` });
  }
  return limit + 1;
}

/**
 * Condition for the rows after the position in a list ordered by (createdAt, id), newest first.
 */
export function behind(page: PageRequest | null): {
  OR?: Array<{ createdAt: Date | { lt: Date }; id?: { lt: string } }>;
} {
  const after = page?.after;
  if (!after) return {};
  const createdAt = new Date(after.createdAt);
  return { OR: [{ createdAt: { lt: createdAt } }, { createdAt, id: { lt: after.id } }] };
}

export const newestFirst = [{ createdAt: 'desc' as const }, { id: 'desc' as const }];
