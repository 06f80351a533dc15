import { outcomeTypes } from '@countersign/kernel/outcome-type';
import type { LedgerDefinition } from '@countersign/proto/ledger';
import { cutPage, readPage } from '@countersign/runtime/grpc/page';
import type { Call, Handlers } from '@countersign/runtime/grpc-types';
import { findOwned } from '../authorization.js';
import type { Context } from '../context.js';
import { latestOutcomes } from '../outcome/append.js';
import type { OutcomeRow } from '../outcome/reconcile.js';
import { outcomeMessage } from '../outcome/view.js';

export function listOfAuthorization(context: Context): Handlers<LedgerDefinition>['ListOutcomes'] {
  return async ({ tenant, authorizationId, page: request }, call) => {
    await findOwned(context.stores[call.environment], tenant, { id: authorizationId });
    const page = readPage(request);
    const { after } = page;
    const all = await listOutcomes(context, authorizationId, call);
    // There is at most one outcome per type, so pagination does not need the database.
    const following = all.filter(
      ({ createdAt, id }) =>
        !after ||
        createdAt < after.createdAt ||
        (createdAt.getTime() === after.createdAt.getTime() && id < after.id),
    );
    const { rows, hasMore } = cutPage(following, page);
    return { outcomes: rows.map(outcomeMessage), hasMore };
  };
}

/** The latest revision of each outcome of an authorization, newest first: one per type at most. */
async function listOutcomes(
  context: Context,
  authorizationId: string,
  call: Call,
): Promise<OutcomeRow[]> {
  const pairs = outcomeTypes.map((outcomeType) => ({ authorizationId, outcomeType }));
  const latest = await latestOutcomes(context.stores[call.environment].pool, pairs);
  return [...latest.values()].sort(
    (a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1),
  );
}
