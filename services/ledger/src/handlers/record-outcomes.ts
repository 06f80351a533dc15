import type { LedgerDefinition } from '@countersign/proto/ledger';
import { tenantOf } from '@countersign/runtime/grpc/tenant';
import type { Handlers } from '@countersign/runtime/grpc-types';
import type { Context } from '../context.js';
import { recordOutcomes } from '../outcome.js';

export function recordReports(context: Context): Handlers<LedgerDefinition>['RecordOutcomes'] {
  return async (request, call) => {
    const reported = { tenant: tenantOf(request), reports: request.reports };
    return { results: await recordOutcomes(context, reported, call) };
  };
}
