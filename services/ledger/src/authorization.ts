import { Fault, notFound } from '@countersign/kernel/fault';
import type { Tenant } from '@countersign/proto/common';
import type { Store } from './db.js';
import type { Prisma } from './generated/prisma/client.js';

/** What was appended to a record and changes what it is now. */
export const appendedFacts = {
  stepUpAnswer: true,
  reversals: true,
} satisfies Prisma.AuthorizationRecordInclude;

export type RecordWithFacts = Prisma.AuthorizationRecordGetPayload<{
  include: typeof appendedFacts;
}>;
/** In lists the decision input is left out: it is most of a record. */
export type ListedRecord = Omit<RecordWithFacts, 'facts'>;
export type RecordWithAnswer = Omit<ListedRecord, 'reversals'>;

type Which = { id: string } | { idempotencyKey: string };

/**
 * The record and what is appended to it, if it is this tenant's. Another Client's is as unknown as
 * one that does not exist; a sibling Principal's is a mismatch, because both are the Client's own.
 */
export async function findOwned(
  store: Store,
  tenant: Tenant | null | undefined,
  which: Which,
): Promise<RecordWithFacts> {
  const record = await store.prisma.authorizationRecord.findFirst({
    where: 'id' in which ? which : { ...which, principalId: tenant?.principalId ?? '' },
    include: appendedFacts,
  });
  if (!record || !tenant || record.clientId !== tenant.clientId) {
    throw notFound('NOT_FOUND', 'There is no such authorization.');
  }
  if (record.principalId !== tenant.principalId) throw tenantMismatch();
  return record;
}

export function tenantMismatch(): Fault {
  return new Fault('forbidden', {
    code: 'TENANT_MISMATCH',
    message: 'The authorization belongs to another Principal.',
  });
}
