import type { RegisterPrincipalRequestInput } from '@countersign/proto/identity';
import type { Contact, RegisterPrincipalBody } from '../schemas/principal.js';
import { jsonText } from './json-text.js';

interface PrincipalIds {
  principal: string;
  verificationSession: string;
}

export function registerPrincipalMessage(
  clientId: string,
  ids: PrincipalIds,
  body: RegisterPrincipalBody,
): RegisterPrincipalRequestInput {
  const { verification } = body;
  const { attestation } = verification;
  return {
    id: ids.principal,
    verificationSessionId: ids.verificationSession,
    clientId,
    principalKind: body.principal_kind,
    programIds: body.program_ids,
    profile: profileMessage(body),
    verification: {
      type: verification.type,
      mode: verification.mode,
      attestation: attestation && {
        attestedBy: attestation.attested_by,
        scope: attestation.scope,
        statement: attestation.statement,
        evidenceRef: attestation.evidence_ref,
      },
    },
    clientCustomerRef: body.client_customer_ref,
    stepUp: body.step_up,
    metadataJson: jsonText(body.metadata),
  };
}

export function profileMessage({ profile }: Contact) {
  return {
    displayName: profile.display_name,
    email: profile.email,
    phone: profile.phone,
    country: profile.country,
  };
}
