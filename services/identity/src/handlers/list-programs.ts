import type { Position } from '@countersign/proto/conventions';
import type { Context } from '../context.js';
import type { Prisma } from '../generated/prisma/client.js';
import { programView } from '../program/view.js';
import type { Handler } from './handler.js';

const maxPage = 100;

/** Newest first, by (created_at, id). Reads one row more than requested to set `hasMore`. */
export function listPrograms(context: Context): Handler<'ListPrograms'> {
  return async ({ clientId, page }, { environment }) => {
    const { prisma } = context.stores[environment];
    const limit = Math.min(Math.max(page?.limit ?? maxPage, 1), maxPage);
    const programs = await prisma.program.findMany({
      where: { clientId, ...(page?.after && after(page.after)) },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      take: limit + 1,
    });
    return {
      programs: programs.slice(0, limit).map(programView),
      hasMore: programs.length > limit,
    };
  };
}

/** The index can seek to the bound on created_at alone; the OR clause breaks ties by id. */
function after({ createdAt, id }: Position): Prisma.ProgramWhereInput {
  return {
    createdAt: { lte: createdAt },
    OR: [{ createdAt: { lt: createdAt } }, { id: { lt: id } }],
  };
}
