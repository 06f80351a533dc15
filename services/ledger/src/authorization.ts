import { Fault, notFound } from '@countersign/kernel/fault';
import type { Tenant } from '@countersign/proto/conventions';
import type { Store } from './db.js';
import type { Prisma } from './generated/prisma/client.js';

/** What was appended to a record and changes what it is now. */
export const appendedFacts = {
  stepUpAnswer: true,
  systemVoid: true,
  reversals: true,
} satisfies Prisma.AuthorizationRecordInclude;

export type RecordWithFacts = Prisma.AuthorizationRecordGetPayload<{
  include: typeof appendedFacts;
}>;
/** With the JSON text of its basis, null where it has none, and of what that names. */
export type WholeRecord = RecordWithFacts & BasisTexts;
interface BasisTexts {
  basis: string | null;
  /** Null also where the basis, of a release before, holds them itself. */
  thresholds: string | null;
}
/** In lists the decision input is left out: it is most of a record. */
export type ListedRecord = Omit<RecordWithFacts, 'facts'>;
export type RecordWithAnswer = Omit<ListedRecord, 'reversals'>;

/** The same for what is about to be amended: what it was, and what it has become since. */
const answeredFacts = {
  include: { stepUpAnswer: true, systemVoid: true },
  omit: { facts: true },
} as const;

type Which = { id: string } | { idempotencyKey: string };

/** The whole record, if it is this tenant's. */
export async function findEntry(
  store: Store,
  tenant: Tenant | null | undefined,
  id: string,
): Promise<WholeRecord> {
  const found = await store.prisma.authorizationRecord.findUnique({
    where: { id },
    include: appendedFacts,
  });
  const record = owned(found, tenant);
  return { ...record, ...(await basisOf(store, record.basisHash)) };
}

async function basisOf(store: Store, hash: string | null): Promise<BasisTexts> {
  if (hash === null) return { basis: null, thresholds: null };
  const { decisionBasis } = store.prisma;
  const { body: basis } = await decisionBasis.findUniqueOrThrow({ where: { hash } });
  const { thresholds } = JSON.parse(basis) as { thresholds?: unknown };
  if (typeof thresholds !== 'string') return { basis, thresholds: null };
  // Without them it is a record that cannot be explained, but still one.
  const named = await decisionBasis.findUnique({ where: { hash: thresholds } });
  return { basis, thresholds: named?.body ?? null };
}

/** The record as far as an amendment of it needs it, if it is this tenant's. */
export async function findOwned(
  store: Store,
  tenant: Tenant | null | undefined,
  which: Which,
): Promise<RecordWithAnswer> {
  const records = store.prisma.authorizationRecord;
  const record =
    'id' in which
      ? await records.findUnique({ where: which, ...answeredFacts })
      : await records.findFirst({
          where: { ...which, principalId: tenant?.principalId ?? '' },
          ...answeredFacts,
        });
  return owned(record, tenant);
}

/**
 * Another Client's record is as unknown as one that does not exist; a sibling Principal's is a
 * mismatch, because both are the Client's own.
 */
function owned<T extends RecordWithAnswer>(record: T | null, tenant: Tenant | null | undefined): T {
  if (!record || !tenant || record.clientId !== tenant.clientId) {
    throw notFound('NOT_FOUND', 'There is no such authorization.');
  }
  if (record.principalId !== tenant.principalId) {
    throw new Fault('forbidden', {
      code: 'TENANT_MISMATCH',
      message: 'The authorization belongs to another Principal.',
    });
  }
  return record;
}
