import type { LedgerDefinition } from '@countersign/proto/ledger';
import type { Handlers } from '@countersign/runtime/grpc-types';
import type { Context } from '../context.js';
import { recordOutcomes } from '../outcome.js';
import { requiredTenant } from '../tenant.js';

export function recordReports(context: Context): Handlers<LedgerDefinition>['RecordOutcomes'] {
  return async ({ tenant, reports }, call) => {
    const request = { tenant: requiredTenant(tenant), reports };
    return { results: await recordOutcomes(context, request, call) };
  };
}
