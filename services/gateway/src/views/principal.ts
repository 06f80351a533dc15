import type { Principal, VerificationSession } from '@countersign/proto/identity';
import type { agentSummaryView } from './agent.js';

type AgentSummary = ReturnType<typeof agentSummaryView>;

/** The onboarding shape. A Principal that is being created has no agents yet. */
export function principalView(principal: Principal, agents: AgentSummary[] = []) {
  return {
    id: principal.id,
    client_id: principal.clientId,
    principal_kind: principal.principalKind,
    client_customer_ref: principal.clientCustomerRef ?? null,
    verification_status: principal.verificationStatus,
    verification_mode: principal.verificationMode,
    risk_tier: principal.riskTier,
    programs: principal.programIds,
    agents,
    verification_session: sessionView(principal.verificationSession),
    created_at: principal.createdAt,
  };
}

/** 201 where the Principal is registered for good, 202 while a provider still verifies it. */
export function registrationStatus(principal: Principal): 201 | 202 {
  return principal.verificationMode === 'platform_provider' ? 202 : 201;
}

/** The runtime subset: what the acting Principal is told of itself. */
export function actingPrincipalView(principal: Principal) {
  return {
    id: principal.id,
    principal_kind: principal.principalKind,
    verification_status: principal.verificationStatus,
    risk_tier: principal.riskTier,
    client_customer_ref: principal.clientCustomerRef ?? null,
  };
}

function sessionView(session: VerificationSession | undefined | null) {
  if (!session) return null;
  return {
    id: session.id,
    type: session.type,
    provider: session.provider,
    status: session.status,
    url: session.url,
    expires_at: session.expiresAt,
    created_at: session.createdAt,
  };
}
