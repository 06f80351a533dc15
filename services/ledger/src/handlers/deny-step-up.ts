import type { LedgerDefinition } from '@countersign/proto/ledger';
import type { Handlers } from '@countersign/runtime/grpc-types';
import type { Context } from '../context.js';
import { denyStepUp } from '../step-up.js';

export function deny(context: Context): Handlers<LedgerDefinition>['DenyStepUp'] {
  return async (request, call) => denyStepUp(context, request, call);
}
