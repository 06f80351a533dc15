import type { LedgerDefinition } from '@countersign/proto/ledger';
import type { Handlers } from '@countersign/runtime/grpc-types';
import type { Context } from '../context.js';
import { reverse } from '../reversal.js';

export function reverseAuthorization(context: Context): Handlers<LedgerDefinition>['Reverse'] {
  return async (request, call) => reverse(context, request, call);
}
