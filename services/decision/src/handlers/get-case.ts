import { tenantOf } from '@countersign/runtime/grpc/tenant';
import type { Context } from '../context.js';
import { caseMessage, ownCase } from '../triage/case-message.js';
import { readCase } from '../triage/case-reads.js';
import type { DecisionHandlers } from './handler.js';

export function getCase(context: Context): DecisionHandlers['GetCase'] {
  return async (request, call) => {
    const found = await readCase(context.stores[call.environment].prisma, request.id);
    return caseMessage(ownCase(found, tenantOf(request)));
  };
}
