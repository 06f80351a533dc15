import { Fault } from '@countersign/kernel/fault';

/** A page of a list that is ordered by time of creation and id, newest first. */
export interface Page {
  limit: number;
  /** One more than `limit`, which shows whether there is a next page. */
  take: number;
  /** The last row of the page before; null for the first page. */
  after: { createdAt: Date; id: string } | null;
}

/** As the services' contracts have it (`conventions.proto`). */
interface PageRequest {
  limit: number;
  after?: { createdAt: string; id: string } | null | undefined;
}

const maxLimit = 100;

/** The gateway sets a limit; a call without one is a bug, not a mistake of the caller. */
export function readPage(request: PageRequest | null): Page {
  const limit = request?.limit ?? 0;
  if (limit < 1 || limit > maxLimit) {
    throw new Fault('internal', { message: `a page of ${limit}` });
  }
  const after = request?.after;
  return {
    limit,
    take: limit + 1,
    after: after ? { createdAt: new Date(after.createdAt), id: after.id } : null,
  };
}

interface Behind<Id extends string> {
  createdAt?: { lte: Date };
  OR?: Array<{ createdAt: { lt: Date } } | Record<Id, { lt: string }>>;
}

/** For Prisma: the rows behind the last one of the page before; `id` is the name of the column. */
export function behind(page: Page): Behind<'id'>;
export function behind<Id extends string>(page: Page, id: Id): Behind<Id>;
export function behind({ after }: Page, id = 'id'): Behind<string> {
  if (!after) return {};
  const { createdAt } = after;
  // An index can seek to the first bound alone; the others leave out rows of the same time.
  return {
    createdAt: { lte: createdAt },
    OR: [{ createdAt: { lt: createdAt } }, { [id]: { lt: after.id } }],
  };
}

type Order<Id extends string> = [{ createdAt: 'desc' }, Record<Id, 'desc'>];

/** For Prisma: the order of such a list. */
export function newestFirst(): Order<'id'>;
export function newestFirst<Id extends string>(id: Id): Order<Id>;
export function newestFirst(id = 'id'): Order<string> {
  return [{ createdAt: 'desc' }, { [id]: 'desc' }];
}

/** Removes the extra row, which only shows that there is a next page. */
export function cutPage<T>(rows: readonly T[], { limit }: Page): { rows: T[]; hasMore: boolean } {
  return { rows: rows.slice(0, limit), hasMore: rows.length > limit };
}
