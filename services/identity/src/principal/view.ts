import type {
  AttestationInput,
  PersonalDataInput,
  PrincipalInput,
} from '@countersign/proto/identity';
import type { Reader } from '../db.js';
import type { Principal, Profile, VerificationSession } from '../generated/prisma/client.js';
import { sessionView, verificationStatus } from './verification.js';

/** A principal with its profile, its enrolments in order of enrolment and its latest session. */
export interface FullPrincipal extends Principal {
  profile: Profile | null;
  enrolments: Array<{ programId: string }>;
  session: VerificationSession | null;
}

/**
 * The queries run sequentially, because a transaction has a single connection, on which the driver
 * does not support concurrent statements.
 */
export async function findPrincipal(
  reader: Reader,
  where: { id: string; clientId?: string },
): Promise<FullPrincipal | null> {
  const principal = await reader.principal.findFirst({ where });
  if (!principal) return null;
  const ofPrincipal = { principalId: principal.id };
  const profile = await reader.profile.findUnique({ where: ofPrincipal });
  const enrolments = await reader.enrolment.findMany({
    where: ofPrincipal,
    orderBy: { seq: 'asc' },
    select: { programId: true },
  });
  const session = await reader.verificationSession.findFirst({
    where: ofPrincipal,
    orderBy: { createdAt: 'desc' },
  });
  return { ...principal, profile, enrolments, session };
}

export function principalView(record: FullPrincipal, nowMs: number): PrincipalInput {
  const { profile, enrolments, session } = record;
  return {
    id: record.id,
    clientId: record.clientId,
    principalKind: record.principalKind,
    clientCustomerRef: record.clientCustomerRef ?? undefined,
    verificationStatus: verificationStatus(record, nowMs),
    verificationMode: record.verificationMode,
    riskTier: record.riskTier,
    programIds: enrolments.map(({ programId }) => programId),
    createdAt: record.createdAt.toISOString(),
    version: record.version,
    verificationSession: session ? sessionView(session, nowMs) : undefined,
    // Codes go to the phone that the profile has now, unless another was given for them.
    ...profileView(profile && { ...profile, stepUpPhone: profile.stepUpPhone ?? profile.phone }),
  };
}

export function personalDataView(record: FullPrincipal): PersonalDataInput {
  const { attestationJson: attested } = record;
  return {
    ...profileView(record.profile),
    clientCustomerRef: record.clientCustomerRef ?? undefined,
    attestation: attested === null ? undefined : (JSON.parse(attested) as AttestationInput),
    metadataJson: record.metadataJson,
  };
}

/** Empty for a principal whose personal data was erased. */
function profileView(profile: Profile | null) {
  if (!profile) return {};
  const { displayName, email, stepUpMethod: method } = profile;
  return {
    profile: {
      displayName,
      email,
      phone: profile.phone ?? undefined,
      country: profile.country ?? undefined,
    },
    stepUp: method ? { method, phone: profile.stepUpPhone ?? undefined } : undefined,
  };
}
