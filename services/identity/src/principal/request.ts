import {
  verificationModes as modes,
  principalKinds,
  stepUpMethods,
  type verificationModes,
  verificationTypes,
} from '@countersign/kernel/vocabulary';
import type { PutProfileRequest, RegisterPrincipalRequest } from '@countersign/proto/identity';
import { FieldErrors, oneOf, type Report } from '../field-errors.js';

/** A validated registration. Optional fields that were omitted are null. */
export interface Registration {
  principalKind: string;
  clientCustomerRef: string | null;
  programIds: string[];
  type: string;
  mode: (typeof verificationModes)[number];
  attestationJson: string | null;
  profile: ProfileColumns;
}

interface ProfileColumns {
  displayName: string;
  email: string;
  phone: string | null;
  country: string | null;
  stepUpMethod: string | null;
  stepUpPhone: string | null;
}

/** How to reach a person or company, in a registration or a later change. */
type Reachable = Pick<PutProfileRequest, 'profile' | 'stepUp'>;

const e164 = /^\+[1-9]\d{6,14}$/;

/** Throws one VALIDATION_ERROR that lists the invalid fields. */
export function readRegistration(
  request: RegisterPrincipalRequest,
  fieldPrefix: string,
): Registration {
  const errors = new FieldErrors(fieldPrefix);
  const { report } = errors;
  const { verification } = request;
  if (!verification) report('verification', 'required', 'verification is required.');
  if (request.programIds.length === 0) {
    report('program_ids', 'too_small', 'program_ids must name at least one program.');
  }
  const mode = oneOf('verification.mode', verification?.mode ?? '', modes);
  const attestation = verification?.attestation ?? null;
  if (mode === 'client_attested' && !attestation) {
    const field = 'verification.attestation';
    report(field, 'attestation_required', `${field} is required with client_attested.`);
  }
  const profile = readProfile(request, report);
  errors.throwIfAny();
  return {
    principalKind: oneOf('principal_kind', request.principalKind, principalKinds),
    // Normalized (NFC), so that references in different Unicode forms compare as equal.
    clientCustomerRef: request.clientCustomerRef?.normalize('NFC') ?? null,
    programIds: [...new Set(request.programIds)],
    type: oneOf('verification.type', verification?.type ?? '', verificationTypes),
    mode,
    attestationJson: attestation && JSON.stringify(attestation),
    profile,
  };
}

export function readProfile(given: Reachable, report: Report): ProfileColumns {
  const { profile } = given;
  if (!profile) report('profile', 'required', 'profile is required.');
  return {
    displayName: profile?.displayName ?? '',
    email: profile?.email ?? '',
    phone: profile?.phone ?? null,
    country: profile?.country ?? null,
    ...readStepUp(given, report),
  };
}

/** Step-up by SMS needs a phone number: that of the step-up settings, else that of the profile. */
function readStepUp({ stepUp, profile }: Reachable, report: Report) {
  if (!stepUp) return { stepUpMethod: null, stepUpPhone: null };
  const method = oneOf('step_up.method', stepUp.method, stepUpMethods);
  if (method === 'sms' && !e164.test(stepUp.phone ?? profile?.phone ?? '')) {
    report('step_up.phone', 'invalid_phone_format', 'step_up.phone must be an E.164 number.');
  }
  return { stepUpMethod: method, stepUpPhone: stepUp.phone ?? null };
}
