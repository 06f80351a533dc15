import type { ListAgentAuthorizationsRequest } from '@countersign/proto/ledger';
import { behind, newestFirst, type Page } from '@countersign/runtime/grpc/page';
import { tenantOf } from '@countersign/runtime/grpc/tenant';
import type { Prisma } from './generated/prisma/client.js';

type Asked = Pick<ListAgentAuthorizationsRequest, 'tenant' | 'agentId'>;

/** A page of an agent's records, newest first: a range of an index, so all pages cost the same. */
export function agentRecords({ tenant, agentId }: Asked, page: Page) {
  return {
    where: { principalId: tenantOf({ tenant }).principalId, agentId, ...behind(page) },
    orderBy: newestFirst(),
    take: page.take,
  } satisfies Prisma.AuthorizationRecordFindManyArgs;
}
