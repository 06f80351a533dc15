import { newId } from '@countersign/kernel/id';
import type {
  CreateAgentRequestInput,
  CreateMandateRequestInput,
  CreateProgramRequestInput,
  OnboardRequestInput,
  RegisterPrincipalRequestInput,
} from '@countersign/proto/identity';
import type { Bound } from './harness.js';

/** Valid requests, each with fresh ids; a test says only what it is about. */
export function programRequest(
  clientId: string,
  given: CreateProgramRequestInput = {},
): CreateProgramRequestInput {
  return { id: newId('program'), clientId, name: 'Spending', rails: ['card', 'crypto'], ...given };
}

export function principalRequest(
  clientId: string,
  programIds: string[],
  given: RegisterPrincipalRequestInput = {},
): RegisterPrincipalRequestInput {
  return {
    id: newId('principal'),
    verificationSessionId: newId('verificationSession'),
    clientId,
    principalKind: 'personal',
    programIds,
    profile: { displayName: 'Ada', email: 'ada@example.com', phone: '+14155550123' },
    verification: {
      type: 'KYC',
      mode: 'client_attested',
      attestation: { attestedBy: 'Bank', scope: 'KYC', statement: 'Verified.', evidenceRef: 'e1' },
    },
    ...given,
  };
}

export const providerVerification = { type: 'KYC', mode: 'platform_provider' };

export function agentRequest(
  clientId: string,
  principalId: string,
  given: CreateAgentRequestInput = {},
): CreateAgentRequestInput {
  return { id: newId('agent'), clientId, principalId, name: 'Shopper', ...given };
}

/** In the onboarding shape. */
export function mandateRequest(
  clientId: string,
  agentId: string,
  given: CreateMandateRequestInput = {},
): CreateMandateRequestInput {
  return {
    id: newId('mandate'),
    clientId,
    agentId,
    rails: ['card'],
    currency: 'USD',
    maxAmountPerTransaction: '100',
    maxDailyAmount: '500.00',
    ...given,
  };
}

export function onboardRequest(clientId: string, programIds: string[]): OnboardRequestInput {
  const principal = principalRequest(clientId, programIds);
  const agent = agentRequest(clientId, principal.id ?? '');
  return { principal, agent, mandate: mandateRequest(clientId, agent.id ?? '') };
}

export interface Household {
  clientId: string;
  programId: string;
  principalId: string;
  agentId: string;
  mandateId: string;
  did: string;
}

/** A client of its own with one program, principal, agent and mandate. */
export async function makeHousehold(call: Bound, clientId = newId('client')): Promise<Household> {
  const program = await call.CreateProgram(programRequest(clientId));
  const made = await call.Onboard(onboardRequest(clientId, [program.id]));
  return {
    clientId,
    programId: program.id,
    principalId: made.principal?.id ?? '',
    agentId: made.agent?.id ?? '',
    mandateId: made.mandate?.id ?? '',
    did: made.agent?.did ?? '',
  };
}
