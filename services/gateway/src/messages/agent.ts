import type { CreateAgentRequestInput } from '@countersign/proto/identity';
import type { Tenant } from '../request.js';
import type { AddAgentBody, CreateAgentBody } from '../schemas/agent.js';
import { jsonText } from './json-text.js';

interface Owner {
  clientId: string;
  principalId: string;
}

/** The onboarding plane's agent: its program is named, or inherited where there is only one. */
export function addAgentMessage(
  id: string,
  owner: Owner,
  body: AddAgentBody,
): CreateAgentRequestInput {
  return {
    id,
    clientId: owner.clientId,
    principalId: owner.principalId,
    name: body.name,
    capabilities: body.capabilities,
    programId: body.program_id,
    externalAgentRef: body.external_agent_ref,
    metadataJson: jsonText(body.metadata),
  };
}

/** The runtime plane's agent: it has no program field and may bring its own key. */
export function createAgentMessage(
  id: string,
  tenant: Tenant,
  body: CreateAgentBody,
): CreateAgentRequestInput {
  return {
    id,
    clientId: tenant.clientId,
    principalId: tenant.principalId,
    name: body.display_name,
    capabilities: body.capabilities,
    programOptional: true,
    did: body.did,
    publicKeyJwkJson: jsonText(body.public_key_jwk),
    registrationProof: body.registration_proof,
  };
}
