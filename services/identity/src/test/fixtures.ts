import { newId } from '@countersign/kernel/id';
import type {
  CreateAgentRequestInput,
  CreateMandateRequestInput,
  CreateProgramRequestInput,
  OnboardRequestInput,
  RegisterPrincipalRequestInput,
} from '@countersign/proto/identity';
import type { Bound } from './harness.js';

/** Valid requests with new ids; a test overrides only the fields that it is about. */
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

/** A request of the onboarding API. */
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

export interface AgentFixture {
  clientId: string;
  programId: string;
  principalId: string;
  agentId: string;
  mandateId: string;
  did: string;
}

/** Creates a program, principal, agent and mandate, by default under a new client. */
export async function createAgentFixture(
  call: Bound,
  clientId = newId('client'),
): Promise<AgentFixture> {
  const program = await call.CreateProgram(programRequest(clientId));
  const created = await call.Onboard(onboardRequest(clientId, [program.id]));
  return {
    clientId,
    programId: program.id,
    principalId: created.principal?.id ?? '',
    agentId: created.agent?.id ?? '',
    mandateId: created.mandate?.id ?? '',
    did: created.agent?.did ?? '',
  };
}
