import type { LedgerDefinition } from '@countersign/proto/ledger';
import { cutPage, readPage } from '@countersign/runtime/grpc/page';
import type { Handlers } from '@countersign/runtime/grpc-types';
import { agentRecords } from '../agent-records.js';
import { appendedFacts } from '../authorization.js';
import type { Context } from '../context.js';
import { listedEntries } from '../readable-entry.js';

export function listAgentAuthorizations(
  context: Context,
): Handlers<LedgerDefinition>['ListAgentAuthorizations'] {
  return async (request, call) => {
    const page = readPage(request.page);
    const found = await context.stores[call.environment].prisma.authorizationRecord.findMany({
      ...agentRecords(request, page),
      include: appendedFacts,
      omit: { facts: true },
    });
    const { rows, hasMore } = cutPage(found, page);
    return { entries: listedEntries(rows, call, context.clock()), hasMore };
  };
}
