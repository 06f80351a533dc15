import { Fault } from '@countersign/kernel/fault';
import type { PageRequest } from '@countersign/proto/conventions';
import { tenantOf } from '@countersign/runtime/grpc/tenant';
import type { Context } from '../context.js';
import { caseMessage } from '../triage/case-message.js';
import { readCases } from '../triage/case-reads.js';
import type { DecisionHandlers } from './handler.js';

const maxLimit = 100;

/** Only cases of the acting Principal. */
export function listCases(context: Context): DecisionHandlers['ListCases'] {
  return async ({ tenant, page }, call) => {
    const { clientId, principalId } = tenantOf({ tenant });
    const limit = limitOf(page);
    const cases = await readCases(context.stores[call.environment].prisma, {
      clientId,
      principalId,
      after: page?.after ?? null,
      // One more than the page, to know whether there is a next one.
      take: limit + 1,
    });
    return { cases: cases.slice(0, limit).map(caseMessage), hasMore: cases.length > limit };
  };
}

function limitOf(page: PageRequest | null): number {
  const limit = page?.limit ?? 0;
  if (limit >= 1 && limit <= maxLimit) return limit;
  throw new Fault('internal', { code: 'INTERNAL_ERROR', message: `a page of ${limit}` });
}
