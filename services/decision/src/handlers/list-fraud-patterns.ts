import { readPage } from '@countersign/runtime/grpc/page';
import { tenantOf } from '@countersign/runtime/grpc/tenant';
import type { Context } from '../context.js';
import { patternPage } from '../triage/pattern-reads.js';
import type { DecisionHandlers } from './handler.js';

/** Only suspicions about agents of the acting Principal. */
export function listFraudPatterns(context: Context): DecisionHandlers['ListFraudPatterns'] {
  return ({ tenant, page }, call) => {
    const { prisma } = context.stores[call.environment];
    const { principalId } = tenantOf({ tenant });
    return patternPage(prisma, { of: { principalId }, page: readPage(page) });
  };
}
