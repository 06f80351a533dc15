import type { Context } from '../context.js';
import { caseMessage, ownCase, requiredTenant } from '../triage/case-message.js';
import { readCase } from '../triage/case-reads.js';
import type { DecisionHandlers } from './handler.js';

export function getCase(context: Context): DecisionHandlers['GetCase'] {
  return async ({ tenant, id }, call) => {
    const found = await readCase(context.stores[call.environment].prisma, id);
    return caseMessage(ownCase(found, requiredTenant(tenant)));
  };
}
