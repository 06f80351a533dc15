import type { ListAgentAuthorizationsRequest } from '@countersign/proto/ledger';
import { tenantOf } from '@countersign/runtime/grpc/tenant';
import type { Prisma } from './generated/prisma/client.js';
import type { Page } from './page.js';

type Asked = Pick<ListAgentAuthorizationsRequest, 'tenant' | 'agentId'>;

/** A page of an agent's records, newest first: a range of an index, so all pages cost the same. */
export function agentRecords({ tenant, agentId }: Asked, { after, take }: Page) {
  return {
    where: {
      principalId: tenantOf({ tenant }).principalId,
      agentId,
      ...(after && {
        // The index can seek to the first condition; the OR clause breaks ties by id.
        createdAt: { lte: after.createdAt },
        OR: [{ createdAt: { lt: after.createdAt } }, { id: { lt: after.id } }],
      }),
    },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take,
  } satisfies Prisma.AuthorizationRecordFindManyArgs;
}
