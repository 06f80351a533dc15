import { isoTime } from '@countersign/kernel/clock';
import type { Context } from '../context.js';
import { type PageQuery, pageReply, pageRequest } from '../pagination.js';

interface Listed {
  id: string;
  created_at: Date;
}

interface List<T, V> {
  list: string;
  /** Values of the statement's own parameters; they also bind the cursor to this list. */
  of: readonly string[];
  /** A SELECT with a WHERE, over a table with an index on its parameters, created_at and id. */
  select: string;
  view: (row: T) => V;
}

/** One page of a table of the control plane, newest first, straight from its index. */
export async function listPage<T extends Listed, V>(
  context: Context,
  query: PageQuery,
  { list, of, select, view }: List<T, V>,
) {
  // These lists span both environments; a cursor needs one, and it is the same for all of them.
  const paged = { name: `operator ${list}`, request: { environment: 'live', query }, of } as const;
  const { limit, after } = pageRequest(context, paged);
  const [createdAt, id, size] = [of.length + 1, of.length + 2, of.length + 3];
  const { rows } = await context.pool.query<T>(
    `${select} AND
       ($${createdAt}::timestamptz IS NULL OR (created_at, id) < ($${createdAt}, $${id}))
     ORDER BY created_at DESC, id DESC LIMIT $${size}`,
    [...of, after?.createdAt ?? null, after?.id ?? null, limit + 1],
  );
  return pageReply(context, paged, {
    items: rows.slice(0, limit).map((row) => ({
      createdAt: isoTime(row.created_at.getTime()),
      id: row.id,
      row,
    })),
    hasMore: rows.length > limit,
    view: ({ row }) => view(row),
  });
}
