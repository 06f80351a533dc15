import type { LedgerDefinition } from '@countersign/proto/ledger';
import type { Handlers } from '@countersign/runtime/grpc-types';
import { findEntry } from '../authorization.js';
import type { Context } from '../context.js';
import { foldFullEntry } from '../fold.js';
import { readableEntry } from '../readable-entry.js';

const incomplete = 'a part of a record is missing from the database; verify-log names it';

export function getAuthorization(context: Context): Handlers<LedgerDefinition>['GetAuthorization'] {
  return async ({ tenant, authorizationId }, call) => {
    const store = context.stores[call.environment];
    const record = await findEntry(store, tenant, authorizationId);
    const { missing } = record;
    if (missing) call.log.error({ authorizationId, missing }, incomplete);
    const now = context.clock();
    return readableEntry(record, call, (readable) => foldFullEntry(readable, now));
  };
}
