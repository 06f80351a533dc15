import type { RegisterPrincipalRequestInput } from '@countersign/proto/identity';
import type { RegisterPrincipalBody } from '../schemas/principal.js';
import { jsonText } from './json-text.js';

export interface PrincipalIds {
  principal: string;
  verificationSession: string;
}

export function registerPrincipalMessage(
  clientId: string,
  ids: PrincipalIds,
  body: RegisterPrincipalBody,
): RegisterPrincipalRequestInput {
  const { profile, verification, step_up: stepUp } = body;
  const { attestation } = verification;
  return {
    id: ids.principal,
    verificationSessionId: ids.verificationSession,
    clientId,
    principalKind: body.principal_kind,
    programIds: body.program_ids,
    profile: {
      displayName: profile.display_name,
      email: profile.email,
      phone: profile.phone,
      country: profile.country,
    },
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
    stepUp: stepUp && { method: stepUp.method, phone: stepUp.phone ?? profile.phone },
    metadataJson: jsonText(body.metadata),
  };
}
