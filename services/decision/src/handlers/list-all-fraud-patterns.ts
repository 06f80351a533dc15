import { readPage } from '@countersign/runtime/grpc/page';
import type { Context } from '../context.js';
import { patternPage } from '../triage/pattern-reads.js';
import type { DecisionHandlers } from './handler.js';

/** For the operator, who may see every Principal. */
export function listAllFraudPatterns(context: Context): DecisionHandlers['ListAllFraudPatterns'] {
  return ({ page }, call) => {
    const { prisma } = context.stores[call.environment];
    return patternPage(prisma, { of: {}, page: readPage(page) });
  };
}
