import { cutPage, readPage } from '@countersign/runtime/grpc/page';
import { tenantOf } from '@countersign/runtime/grpc/tenant';
import type { Context } from '../context.js';
import { caseMessage } from '../triage/case-message.js';
import { readCases } from '../triage/case-reads.js';
import type { DecisionHandlers } from './handler.js';

/** Only cases of the acting Principal. */
export function listCases(context: Context): DecisionHandlers['ListCases'] {
  return async ({ tenant, page: asked }, call) => {
    const { prisma } = context.stores[call.environment];
    const page = readPage(asked);
    const found = await readCases(prisma, { ...tenantOf({ tenant }), page });
    const { rows, hasMore } = cutPage(found, page);
    return { cases: rows.map(caseMessage), hasMore };
  };
}
