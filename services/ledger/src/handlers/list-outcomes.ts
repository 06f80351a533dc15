import type { LedgerDefinition } from '@countersign/proto/ledger';
import { cutPage, readPage } from '@countersign/runtime/grpc/page';
import type { Handlers } from '@countersign/runtime/grpc-types';
import { findOwned } from '../authorization.js';
import type { Context } from '../context.js';
import { outcomeMessage } from '../outcome/view.js';
import { listOutcomes } from '../outcome.js';

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
