import type { LedgerDefinition } from '@countersign/proto/ledger';
import type { Handlers } from '@countersign/runtime/grpc-types';
import type { Context } from '../context.js';
import { confirmStepUp } from '../step-up.js';

export function confirm(context: Context): Handlers<LedgerDefinition>['ConfirmStepUp'] {
  return async (request, call) => confirmStepUp(context, request, call);
}
