import { behind, cutPage, newestFirst, readPage } from '@countersign/runtime/grpc/page';
import type { Context } from '../context.js';
import { programView } from '../program/view.js';
import type { Handler } from './handler.js';

export function listPrograms(context: Context): Handler<'ListPrograms'> {
  return async ({ clientId, page: asked }, { environment }) => {
    const page = readPage(asked);
    const found = await context.stores[environment].prisma.program.findMany({
      where: { clientId, ...behind(page) },
      orderBy: newestFirst(),
      take: page.take,
    });
    const { rows, hasMore } = cutPage(found, page);
    return { programs: rows.map(programView), hasMore };
  };
}
