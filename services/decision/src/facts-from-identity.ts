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
} from './facts-shape.js';

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
  actingPrincipalId: string | null,
): ResolvedAgent | null {
  const { agent, principal, program } = found;
  if (!agent || !principal) return null;
  if (asked.agentId !== null && asked.agentId !== agent.id) return null;
  if (asked.agentDid !== null && asked.agentDid !== agent.did) return null;
  if (agent.principalId !== actingPrincipalId || principal.id !== actingPrincipalId) return null;
  return {
    agent: agentFacts(agent),
    principal: principalFacts(principal),
    program: program ? programFacts(program) : null,
    mandates: found.mandates.filter(({ agentId }) => agentId === agent.id).map(mandateFacts),
    intentKeyThumbprint: agent.viCapable ? (agent.keyThumbprint ?? null) : null,
  };
}

function agentFacts(agent: SpendingAgent): AgentFacts {
  const { id, version, principalId, did, status, trustLevel, capabilities, createdAt } = agent;
  return {
    id,
    version,
    principalId,
    programId: agent.programId ?? null,
    did,
    status,
    trustLevel,
    capabilities: listed(capabilities),
    keyRegistered: agent.keyThumbprint !== undefined,
    createdAt,
  };
}

function principalFacts({
  id,
  version,
  verificationStatus,
  riskTier,
}: SpendingPrincipal): PrincipalFacts {
  return { id, version, verificationStatus, riskTier };
}

/** An identity of a release before does not tell the rails, and every Program has one. */
function programFacts({
  id,
  version,
  status,
  rails,
  fraudTriageEnabled,
}: SpendingProgram): ProgramFacts {
  return {
    id,
    version,
    status,
    ...(rails.length > 0 && { rails }),
    ...(fraudTriageEnabled && { fraudTriage: true as const }),
  };
}

/** Shared by all empty lists: most lists of a mandate are empty, and many mandates are cached. */
const empty: string[] = [];

function listed(list: string[]): string[] {
  return list.length > 0 ? list : empty;
}

/** Members are in the order of canonical JSON, so that serialisation need not sort them. */
function mandateFacts(mandate: Mandate): MandateFacts {
  return {
    allowedAssets: listed(mandate.allowedAssets),
    allowedChains: listed(mandate.allowedChains),
    allowedCounterparties: listed(mandate.allowedCounterparties),
    allowedCountries: listed(mandate.allowedCountries),
    allowedMccs: listed(mandate.allowedMccs),
    allowedMerchants: listed(mandate.allowedMerchants),
    blockedCountries: listed(mandate.blockedCountries),
    blockedMccs: listed(mandate.blockedMccs),
    blockedMerchants: listed(mandate.blockedMerchants),
    crypto: mandate.crypto
      ? {
          chains: mandate.crypto.chains,
          assets: mandate.crypto.assets,
          maxTransfer: mandate.crypto.maxTransfer ?? null,
        }
      : null,
    currency: mandate.currency,
    id: mandate.id,
    mandateHash: mandate.mandateHash,
    maxAmountPerTransaction: mandate.maxAmountPerTransaction,
    maxDailyAmount: mandate.maxDailyAmount ?? null,
    maxDailyCount: mandate.maxDailyCount ?? null,
    maxMonthlyAmount: mandate.maxMonthlyAmount ?? null,
    maxMonthlyCount: mandate.maxMonthlyCount ?? null,
    rails: mandate.rails,
    status: mandate.status,
    validFrom: mandate.validFrom,
    validUntil: mandate.validUntil,
    version: mandate.version,
    ...(startsAtOnce(mandate) && { startsAtOnce: true as const }),
  };
}

function startsAtOnce({ validFrom, createdAt }: Mandate): boolean {
  return Date.parse(validFrom) <= Date.parse(createdAt);
}
