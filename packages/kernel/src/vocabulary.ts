/**
 * The enumerated values of the contract. CHECK constraints in the database list the same values.
 */
export const programStatuses = ['ACTIVE', 'PAUSED', 'CLOSED'] as const;
export const rails = ['card', 'crypto'] as const;
export type Rail = (typeof rails)[number];

export const programVerificationModes = ['client_attested', 'platform_provider', 'any'] as const;
export const verificationModes = ['client_attested', 'platform_provider'] as const;
export const verificationTypes = ['KYC', 'KYB'] as const;
export const verificationStatuses = ['PENDING', 'VERIFIED', 'FAILED', 'EXPIRED'] as const;
export type VerificationStatus = (typeof verificationStatuses)[number];

export const principalKinds = ['personal', 'merchant'] as const;
export const riskTiers = ['LOW', 'MEDIUM', 'HIGH', 'PROHIBITED'] as const;
export const stepUpMethods = ['sms', 'email'] as const;

export const agentStatuses = ['ACTIVE', 'SUSPENDED', 'REVOKED'] as const;
export type AgentStatus = (typeof agentStatuses)[number];
export const capabilities = [
  'PURCHASE',
  'SUBSCRIPTION',
  'REFUND_REQUEST',
  'BALANCE_INQUIRY',
  'TRANSFER',
] as const;

export const mandateStatuses = ['ACTIVE', 'REVOKED', 'EXPIRED'] as const;

export const decisionWords = ['APPROVE', 'DECLINE', 'STEP_UP'] as const;
export type DecisionWord = (typeof decisionWords)[number];
export type Zone = 'GREEN' | 'AMBER' | 'RED' | 'CRITICAL';
