import type { LedgerDefinition } from '@countersign/proto/ledger';
import { behind, cutPage, newestFirst, readPage } from '@countersign/runtime/grpc/page';
import { tenantOf } from '@countersign/runtime/grpc/tenant';
import type { Handlers } from '@countersign/runtime/grpc-types';
import { appendedFacts } from '../authorization.js';
import type { Context } from '../context.js';
import { listedEntries } from '../readable-entry.js';

/** A week longer than any can be answered. */
const listedMs = 8 * 24 * 3_600_000;

/** Unanswered challenges, including those that have lately expired, newest first. */
export function listPendingStepUps(
  context: Context,
): Handlers<LedgerDefinition>['ListPendingStepUps'] {
  return async (request, call) => {
    const { principalId } = tenantOf(request);
    const page = readPage(request.page);
    const now = context.clock();
    const listed = { createdAt: { gt: new Date(now - listedMs) } };
    const found = await context.stores[call.environment].prisma.pendingStepUp.findMany({
      where: { principalId, AND: [listed, behind(page, 'authorizationId')] },
      orderBy: newestFirst('authorizationId'),
      take: page.take,
      include: { record: { include: appendedFacts, omit: { facts: true } } },
    });
    const { rows, hasMore } = cutPage(found, page);
    const records = rows.map(({ record }) => record);
    return { entries: listedEntries(records, call, now), hasMore };
  };
}
