import type {
  Mandate,
  SpendingAgent,
  SpendingFacts,
  SpendingPrincipal,
  SpendingProgram,
} from '@countersign/proto/identity';
import type {
  AgentFacts,
  MandateFacts,
  PaymentFacts,
  PrincipalFacts,
  ProgramFacts,
} from './shape.js';
import type { SharedValues } from './shared-values.js';

export interface ResolvedAgent {
  agent: AgentFacts;
  principal: PrincipalFacts;
  program: ProgramFacts | null;
  mandates: MandateFacts[];
  /** RFC 7638 thumbprint of a key that verifiable intent can use; null if there is none. */
  intentKeyThumbprint: string | null;
}

/**
 * The agent with Principal, program and mandates, or null when it does not belong to this caller.
 * Checks identity's answer against the request once more, since money depends on it.
 */
export function resolvedAgent(
  found: SpendingFacts,
  asked: Pick<PaymentFacts, 'agentId' | 'agentDid'>,
  shared: SharedValues,
): ResolvedAgent | null {
  const { actingPrincipalId, agent, principal, program } = found;
  if (!agent || !principal) return null;
  if (asked.agentId !== null && asked.agentId !== agent.id) return null;
  if (asked.agentDid !== null && asked.agentDid !== agent.did) return null;
  if (agent.principalId !== actingPrincipalId || principal.id !== actingPrincipalId) return null;
  return {
    agent: agentFacts(agent, shared),
    principal: principalFacts(principal, shared),
    program: program ? programFacts(program, shared) : null,
    mandates: found.mandates
      .filter(({ agentId }) => agentId === agent.id)
      .map((mandate) => mandateFacts(mandate, shared)),
    intentKeyThumbprint: agent.viCapable ? (agent.keyThumbprint ?? null) : null,
  };
}

function agentFacts(agent: SpendingAgent, shared: SharedValues): AgentFacts {
  const { id, version, principalId, did, createdAt } = agent;
  return {
    id,
    version,
    principalId,
    programId: shared.optionalText(agent.programId),
    did,
    status: shared.text(agent.status),
    trustLevel: shared.text(agent.trustLevel),
    capabilities: shared.list(agent.capabilities),
    keyRegistered: agent.keyThumbprint !== undefined,
    createdAt,
  };
}

function principalFacts(principal: SpendingPrincipal, shared: SharedValues): PrincipalFacts {
  const { id, version, verificationStatus, riskTier } = principal;
  return {
    id,
    version,
    verificationStatus: shared.text(verificationStatus),
    riskTier: shared.text(riskTier),
  };
}

function programFacts(program: SpendingProgram, shared: SharedValues): ProgramFacts {
  const { id, version, status, rails, fraudTriageEnabled } = program;
  return {
    id: shared.text(id),
    version,
    status: shared.text(status),
    rails: shared.list(rails),
    ...(fraudTriageEnabled && { fraudTriage: true as const }),
  };
}

/** Members are in the order of canonical JSON, so that serialisation need not sort them. */
function mandateFacts(mandate: Mandate, shared: SharedValues): MandateFacts {
  return {
    allowedAssets: shared.list(mandate.allowedAssets),
    allowedChains: shared.list(mandate.allowedChains),
    allowedCounterparties: shared.list(mandate.allowedCounterparties),
    allowedCountries: shared.list(mandate.allowedCountries),
    allowedMccs: shared.list(mandate.allowedMccs),
    allowedMerchants: shared.list(mandate.allowedMerchants),
    blockedCountries: shared.list(mandate.blockedCountries),
    blockedMccs: shared.list(mandate.blockedMccs),
    blockedMerchants: shared.list(mandate.blockedMerchants),
    crypto: mandate.crypto
      ? {
          chains: shared.list(mandate.crypto.chains),
          assets: shared.list(mandate.crypto.assets),
          maxTransfer: shared.optionalText(mandate.crypto.maxTransfer),
        }
      : null,
    currency: shared.text(mandate.currency),
    id: mandate.id,
    mandateHash: mandate.mandateHash,
    maxAmountPerTransaction: shared.text(mandate.maxAmountPerTransaction),
    maxDailyAmount: shared.optionalText(mandate.maxDailyAmount),
    maxDailyCount: mandate.maxDailyCount ?? null,
    maxMonthlyAmount: shared.optionalText(mandate.maxMonthlyAmount),
    maxMonthlyCount: mandate.maxMonthlyCount ?? null,
    rails: shared.list(mandate.rails),
    status: shared.text(mandate.status),
    validFrom: mandate.validFrom,
    validUntil: mandate.validUntil,
    version: mandate.version,
    ...(startsAtOnce(mandate) && { startsAtOnce: true as const }),
  };
}

function startsAtOnce({ validFrom, createdAt }: Mandate): boolean {
  return Date.parse(validFrom) <= Date.parse(createdAt);
}
