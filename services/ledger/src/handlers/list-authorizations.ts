import type { LedgerDefinition } from '@countersign/proto/ledger';
import { cutPage, newestFirst, readPage } from '@countersign/runtime/grpc/page';
import type { Handlers } from '@countersign/runtime/grpc-types';
import { appendedFacts } from '../authorization.js';
import type { Context } from '../context.js';
import { readLogPage } from '../log-page.js';
import { listedEntries } from '../readable-entry.js';

/** First which records are on the page, then these with all that was appended to them. */
export function listAuthorizations(
  context: Context,
): Handlers<LedgerDefinition>['ListAuthorizations'] {
  return async (request, call) => {
    const store = context.stores[call.environment];
    const page = readPage(request.page);
    const ids = await readLogPage(store.pool, request, page);
    const { rows: listed, hasMore } = cutPage(ids, page);
    const found = await store.prisma.authorizationRecord.findMany({
      where: { id: { in: listed } },
      orderBy: newestFirst(),
      include: appendedFacts,
      omit: { facts: true },
    });
    return { entries: listedEntries(found, call, context.clock()), hasMore };
  };
}
