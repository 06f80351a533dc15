import type { LedgerDefinition } from '@countersign/proto/ledger';
import type { Handlers } from '@countersign/runtime/grpc-types';
import { appendedFacts } from '../authorization.js';
import type { Context } from '../context.js';
import { foldEntry } from '../fold.js';
import { cutPage, readPage } from '../page.js';
import { requiredTenant } from '../tenant.js';

/** Newest first, with keyset pagination over an index, so that all pages cost the same. */
export function listAgentAuthorizations(
  context: Context,
): Handlers<LedgerDefinition>['ListAgentAuthorizations'] {
  return async (request, call) => {
    const { principalId } = requiredTenant(request.tenant);
    const page = readPage(request.page);
    const { after } = page;
    const found = await context.stores[call.environment].prisma.authorizationRecord.findMany({
      where: {
        principalId,
        agentId: request.agentId,
        ...(after && {
          // The index can seek to the first condition; the OR clause breaks ties by id.
          createdAt: { lte: after.createdAt },
          OR: [{ createdAt: { lt: after.createdAt } }, { id: { lt: after.id } }],
        }),
      },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      take: page.take,
      include: appendedFacts,
      omit: { facts: true },
    });
    const { rows, hasMore } = cutPage(found, page);
    const now = context.clock();
    return { entries: rows.map((record) => foldEntry(record, now)), hasMore };
  };
}
