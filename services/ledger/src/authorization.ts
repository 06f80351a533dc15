import { Fault, notFound } from '@countersign/kernel/fault';
import type { Tenant } from '@countersign/proto/conventions';
import { thresholdsHashIn } from './basis.js';
import type { Store } from './db.js';
import type { Prisma } from './generated/prisma/client.js';

/** The appended rows that determine the current state of a record. */
export const appendedFacts = {
  stepUpAnswer: true,
  systemVoid: true,
  reversals: true,
  references: true,
} satisfies Prisma.AuthorizationRecordInclude;

type RecordWithFacts = Prisma.AuthorizationRecordGetPayload<{
  include: typeof appendedFacts;
}>;
/** With the JSON texts of its basis and thresholds. */
export type FullRecord = RecordWithFacts & BasisTexts;
interface BasisTexts {
  basis: string | null;
  thresholds: string | null;
  /** The hash of whichever of them is missing from the database, which removes neither. */
  missing: string | null;
}
/** Lists omit the decision input, which is the largest part of a record. */
export type ListedRecord = Omit<RecordWithFacts, 'facts'>;
export type RecordWithAnswer = Omit<ListedRecord, 'reversals' | 'references'>;

/** The columns and appended rows that an amendment needs. */
const answeredFacts = {
  include: { stepUpAnswer: true, systemVoid: true },
  omit: { facts: true },
} as const;

type Which = { id: string } | { idempotencyKey: string };

/** The full record. Throws unless it belongs to the tenant. */
export async function findEntry(
  store: Store,
  tenant: Tenant | null | undefined,
  id: string,
): Promise<FullRecord> {
  const found = await store.prisma.authorizationRecord.findUnique({
    where: { id, ...ofClient(tenant) },
    include: appendedFacts,
  });
  const record = owned(found, tenant);
  return { ...record, ...(await basisOf(store, record.basisHash)) };
}

async function basisOf(store: Store, hash: string | null): Promise<BasisTexts> {
  if (hash === null) return { basis: null, thresholds: null, missing: null };
  // A record of which one is missing cannot be evaluated again, but it can still be read.
  const basis = await bodyOf(store, hash);
  if (basis === null) return { basis, thresholds: null, missing: hash };
  const thresholdsHash = thresholdsHashIn(basis);
  if (thresholdsHash === null) return { basis, thresholds: null, missing: null };
  const thresholds = await bodyOf(store, thresholdsHash);
  return { basis, thresholds, missing: thresholds === null ? thresholdsHash : null };
}

async function bodyOf({ prisma }: Store, hash: string): Promise<string | null> {
  const found = await prisma.decisionBasis.findUnique({ where: { hash } });
  return found?.body ?? null;
}

/** The parts of a record that an amendment needs. Throws unless it belongs to the tenant. */
export async function findOwned(
  store: Store,
  tenant: Tenant | null | undefined,
  which: Which,
): Promise<RecordWithAnswer> {
  const records = store.prisma.authorizationRecord;
  const record =
    'id' in which
      ? await records.findUnique({ where: { ...which, ...ofClient(tenant) }, ...answeredFacts })
      : await records.findFirst({
          where: { ...which, ...ofClient(tenant), principalId: tenant?.principalId ?? '' },
          ...answeredFacts,
        });
  return owned(record, tenant);
}

/** Part of the query, so that a record of another Client takes no longer to refuse than none. */
function ofClient(tenant: Tenant | null | undefined): { clientId: string } {
  return { clientId: tenant?.clientId ?? '' };
}

/**
 * Of the records of the Client, one of another Principal is a TENANT_MISMATCH; that of another
 * Client is not found.
 */
function owned<T extends RecordWithAnswer>(record: T | null, tenant: Tenant | null | undefined): T {
  if (!record || !tenant) {
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
