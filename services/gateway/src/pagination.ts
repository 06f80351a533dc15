import { invalidField } from '@countersign/kernel/fault';
import type { Context } from './context.js';
import { type CursorPosition, decodeCursor, encodeCursor } from './cursor.js';
import type { RouteRequest } from './request.js';

/** Validated by `pageQuery`. */
export interface PageQuery {
  limit: number;
  cursor?: string | undefined;
}

/**
 * One list as one caller sees it: a cursor is good for the list it came from and no other, so it
 * carries nothing across environments, Principals or lists.
 */
export interface PagedList {
  name: string;
  request: Pick<RouteRequest, 'environment'> & { query: PageQuery };
  /** What selects its items: ids, such as those of Principal and agent, and filters. */
  of: readonly string[];
}

/** The inner page request; a cursor that was not issued for this list is a 422. */
export function pageRequest(context: Pick<Context, 'cursorKey'>, list: PagedList) {
  const { limit, cursor } = list.request.query;
  if (cursor === undefined) return { limit };
  const after = decodeCursor(context.cursorKey, cursorScope(list), cursor);
  if (after) return { limit, after };
  throw invalidField(
    'cursor',
    'invalid_cursor',
    'cursor must be next_cursor of a page of this list.',
  );
}

interface Page<T extends CursorPosition, V> {
  items: readonly T[];
  hasMore: boolean;
  view: (item: T) => V;
}

/** The envelope of every cursor list. */
export function pageReply<T extends CursorPosition, V>(
  context: Pick<Context, 'cursorKey'>,
  list: PagedList,
  { items, hasMore, view }: Page<T, V>,
) {
  const last = items.at(-1);
  const next = hasMore && last ? encodeCursor(context.cursorKey, cursorScope(list), last) : null;
  return {
    status: 200,
    body: {
      data: items.map(view),
      pagination: {
        has_more: next !== null,
        next_cursor: next,
        limit: list.request.query.limit,
      },
    },
  };
}

function cursorScope({ name, request, of }: PagedList): string {
  return [name, request.environment, ...of].join(' ');
}
