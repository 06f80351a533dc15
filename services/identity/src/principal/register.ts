import type { RegisterPrincipalRequest } from '@countersign/proto/identity';
import type { Reader, Transaction } from '../db.js';
import { FieldErrors } from '../field-errors.js';
import { isClosed } from '../program/closed.js';
import { refusal } from '../refusal.js';
import { type Registration, readRegistration } from './request.js';
import { insertSession, type NewSession, sessionLifetimeMs } from './verification.js';
import { type FullPrincipal, findPrincipal } from './view.js';

interface RegistrationScope {
  config: NewSession['config'];
  nowMs: number;
  /** Prepended to the field names in errors: `principal.` within POST /onboard. */
  fieldPrefix: string;
}

/** The client's principal with this id, or null. Throws if the id belongs to another client. */
export async function findRegistered(reader: Reader, request: RegisterPrincipalRequest) {
  const existing = await findPrincipal(reader, { id: request.id });
  if (existing && existing.clientId !== request.clientId) throw refusal.idInUse(request.id);
  return existing;
}

/** Inserts the principal, its profile and enrolments, and a session if a provider verifies it. */
export async function insertPrincipal(
  tx: Transaction,
  request: RegisterPrincipalRequest,
  scope: RegistrationScope,
): Promise<FullPrincipal> {
  const registration = readRegistration(request, scope.fieldPrefix);
  await assertPrograms(tx, { request, registration, fieldPrefix: scope.fieldPrefix });
  const now = new Date(scope.nowMs);
  const attested = registration.mode === 'client_attested';
  const expiresAt = attested ? null : new Date(scope.nowMs + sessionLifetimeMs);
  await tx.principal.create({ data: principalRow(request, registration, { now, expiresAt }) });
  await tx.profile.create({ data: { principalId: request.id, ...registration.profile } });
  await tx.enrolment.createMany({
    data: registration.programIds.map((programId) => ({
      principalId: request.id,
      programId,
      enrolledAt: now,
    })),
  });
  if (expiresAt) {
    await insertSession(tx, {
      id: request.verificationSessionId,
      principalId: request.id,
      type: registration.type,
      createdAt: now,
      expiresAt,
      config: scope.config,
    });
  }
  const inserted = await findPrincipal(tx, { id: request.id });
  if (!inserted) throw new Error('the inserted principal cannot be read in its own transaction');
  return inserted;
}

/** Pending until `expiresAt`, or attested and verified at once. */
function principalRow(
  request: RegisterPrincipalRequest,
  registration: Registration,
  { now, expiresAt }: { now: Date; expiresAt: Date | null },
) {
  return {
    id: request.id,
    clientId: request.clientId,
    principalKind: registration.principalKind,
    clientCustomerRef: registration.clientCustomerRef,
    verificationType: registration.type,
    verificationMode: registration.mode,
    verificationStatus: expiresAt ? 'PENDING' : 'VERIFIED',
    verificationExpiresAt: expiresAt,
    attestationJson: registration.attestationJson,
    metadataJson: request.metadataJson ?? '{}',
    createdAt: now,
    updatedAt: now,
  };
}

/** The refusal for a violated unique index. */
export function registrationRefusal(index: string): Error {
  if (index === 'principals_client_id_client_customer_ref_key') {
    return refusal.duplicateCustomerRef();
  }
  return refusal.conflict('The principal conflicts with an existing principal.');
}

interface NamedPrograms {
  request: RegisterPrincipalRequest;
  registration: Registration;
  fieldPrefix: string;
}

/** Throws unless every program belongs to the client, is open and allows the verification mode. */
async function assertPrograms(
  tx: Transaction,
  { request, registration, fieldPrefix }: NamedPrograms,
): Promise<void> {
  const { programIds, mode } = registration;
  const programs = await tx.program.findMany({
    where: { id: { in: programIds }, clientId: request.clientId },
    select: { id: true, status: true, verificationMode: true },
  });
  const owned = new Map(programs.map((program) => [program.id, program]));
  const errors = new FieldErrors(fieldPrefix);
  for (const id of programIds) {
    const program = owned.get(id);
    if (program === undefined) throw refusal.programNotOwned(id);
    if (isClosed(program)) throw refusal.programClosed(id);
    const allowed = program.verificationMode;
    if (allowsMode(allowed, mode)) continue;
    const message = `The program ${id} only allows ${allowed}.`;
    errors.report('verification.mode', 'verification_mode_not_allowed', message);
  }
  errors.throwIfAny();
}

export function allowsMode(programMode: string, mode: string): boolean {
  return programMode === 'any' || programMode === mode;
}
