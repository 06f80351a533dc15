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

export type RecordWithFacts = Prisma.AuthorizationRecordGetPayload<{
  include: typeof appendedFacts;
}>;
/** With the JSON texts of its basis and thresholds. */
export type FullRecord = RecordWithFacts & BasisTexts;
interface BasisTexts {
  basis: string | null;
  /** Also null if the basis contains them, as in earlier releases. */
  thresholds: string | null;
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
  const thresholdsHash = thresholdsHashIn(basis);
  if (thresholdsHash === null) return { basis, thresholds: null };
  // A record whose thresholds are missing cannot be explained, but it can still be read.
  const named = await decisionBasis.findUnique({ where: { hash: thresholdsHash } });
  return { basis, thresholds: named?.body ?? null };
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
      ? await records.findUnique({ where: which, ...answeredFacts })
      : await records.findFirst({
          where: { ...which, principalId: tenant?.principalId ?? '' },
          ...answeredFacts,
        });
  return owned(record, tenant);
}

/**
 * A record of another Client is reported as not found; one of another Principal of the same Client
 * is a TENANT_MISMATCH.
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
