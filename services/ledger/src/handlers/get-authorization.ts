import type { LedgerDefinition } from '@countersign/proto/ledger';
import type { Handlers } from '@countersign/runtime/grpc-types';
import { findOwned } from '../authorization.js';
import type { Context } from '../context.js';
import { foldWholeEntry } from '../fold.js';

export function getAuthorization(context: Context): Handlers<LedgerDefinition>['GetAuthorization'] {
  return async ({ tenant, authorizationId }, call) => {
    const store = context.stores[call.environment];
    const record = await findOwned(store, tenant, { id: authorizationId });
    return foldWholeEntry(record, context.clock());
  };
}
