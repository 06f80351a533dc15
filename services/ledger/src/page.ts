import type { PageRequest } from '@countersign/proto/conventions';

export interface Page {
  /** One more than `limit`, which shows whether there is a next page. */
  take: number;
  limit: number;
  after: { createdAt: Date; id: string } | null;
}

const defaultLimit = 25;
const maxEntries = 100;

export function readPage(request: PageRequest | null | undefined): Page {
  const limit = Math.min(request?.limit || defaultLimit, maxEntries);
  const { createdAt, id } = request?.after ?? {};
  const after = createdAt && id ? { createdAt: new Date(createdAt), id } : null;
  return { limit, take: limit + 1, after };
}

/** Removes the extra row, which only shows that there is a next page. */
export function cutPage<T>(rows: readonly T[], { limit }: Page): { rows: T[]; hasMore: boolean } {
  return { rows: rows.slice(0, limit), hasMore: rows.length > limit };
}
