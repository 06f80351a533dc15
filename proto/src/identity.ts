import type { IdentityDefinition } from './generated/countersign/identity/v1/Identity.js';
import { loadService } from './load.js';

export const identityService = loadService<IdentityDefinition>(
  'identity',
  'countersign.identity.v1.Identity',
);

export type * from './generated/countersign/identity/v1/Agent.js';
export type * from './generated/countersign/identity/v1/Attestation.js';
export type * from './generated/countersign/identity/v1/CreateAgentRequest.js';
export type * from './generated/countersign/identity/v1/CreateMandateRequest.js';
export type * from './generated/countersign/identity/v1/CreateProgramRequest.js';
export type * from './generated/countersign/identity/v1/CryptoTerms.js';
export type * from './generated/countersign/identity/v1/EnrollPrincipalRequest.js';
export type * from './generated/countersign/identity/v1/GetAgentRequest.js';
export type * from './generated/countersign/identity/v1/GetMandateRequest.js';
export type * from './generated/countersign/identity/v1/GetPrincipalRequest.js';
export type * from './generated/countersign/identity/v1/GetProgramRequest.js';
export type * from './generated/countersign/identity/v1/GetSpendingFactsRequest.js';
export type * from './generated/countersign/identity/v1/Identity.js';
export type * from './generated/countersign/identity/v1/LimitCeilings.js';
export type * from './generated/countersign/identity/v1/ListAgentMandatesRequest.js';
export type * from './generated/countersign/identity/v1/ListAgentsRequest.js';
export type * from './generated/countersign/identity/v1/ListAgentsResponse.js';
export type * from './generated/countersign/identity/v1/ListMandatesResponse.js';
export type * from './generated/countersign/identity/v1/ListPrincipalAgentsRequest.js';
export type * from './generated/countersign/identity/v1/ListProgramsRequest.js';
export type * from './generated/countersign/identity/v1/ListProgramsResponse.js';
export type * from './generated/countersign/identity/v1/Mandate.js';
export type * from './generated/countersign/identity/v1/OnboardRequest.js';
export type * from './generated/countersign/identity/v1/OnboardResponse.js';
export type * from './generated/countersign/identity/v1/PersonalData.js';
export type * from './generated/countersign/identity/v1/PersonalDataRequest.js';
export type * from './generated/countersign/identity/v1/Principal.js';
export type * from './generated/countersign/identity/v1/Profile.js';
export type * from './generated/countersign/identity/v1/Program.js';
export type * from './generated/countersign/identity/v1/PutProfileRequest.js';
export type * from './generated/countersign/identity/v1/RegisterPrincipalRequest.js';
export type * from './generated/countersign/identity/v1/ResolveActingPrincipalRequest.js';
export type * from './generated/countersign/identity/v1/ResolveActingPrincipalResponse.js';
export type * from './generated/countersign/identity/v1/RevokeMandateRequest.js';
export type * from './generated/countersign/identity/v1/SpendingAgent.js';
export type * from './generated/countersign/identity/v1/SpendingFacts.js';
export type * from './generated/countersign/identity/v1/SpendingPrincipal.js';
export type * from './generated/countersign/identity/v1/SpendingProgram.js';
export type * from './generated/countersign/identity/v1/StepUpContact.js';
export type * from './generated/countersign/identity/v1/UpdateAgentStatusRequest.js';
export type * from './generated/countersign/identity/v1/UpdatePrincipalRequest.js';
export type * from './generated/countersign/identity/v1/UpdateProgramRequest.js';
export type * from './generated/countersign/identity/v1/Verification.js';
export type * from './generated/countersign/identity/v1/VerificationSession.js';
