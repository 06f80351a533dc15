export type { OAuthClient } from './access-tokens.js';
export {
  AttestationError,
  type AttestationKeys,
  type AttestationOptions,
  type Attested,
  type AttestedClaims,
  remoteKeys,
  requestHash,
  verifyAttestation,
} from './attestation.js';
export { type ActingClient, Countersign } from './client.js';
export type { Approval, Decision, Decline, Simulation, StepUp } from './decision.js';
export {
  AuthenticationError,
  ConfigurationError,
  ConflictError,
  CountersignError,
  DeadlineError,
  type FieldError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  RequestError,
  UnavailableError,
  ValidationError,
} from './errors.js';
export type { components, operations, paths } from './generated/openapi.js';
export type { CallOptions } from './http/call.js';
export type { ClientOptions } from './options.js';
export type { Page, Pages } from './pages.js';
export type {
  Agent,
  AgentListOptions,
  AgentMetrics,
  AgentStatus,
  NewAgent,
  StatusChange,
} from './resources/agents.js';
export type { FraudCase, FraudPattern, Resolution } from './resources/cases.js';
export type { Reason } from './resources/catalog.js';
export type { ListOptions } from './resources/list.js';
export type { Explanation, LogEntry, LogListEntry, LogSearch } from './resources/log.js';
export type { Budget, Mandate, NewMandate } from './resources/mandates.js';
export type {
  CreationOptions,
  Onboarded,
  Onboarding,
  OnboardingMandate,
  Principal,
  Program,
} from './resources/onboarding.js';
export type { Outcome, OutcomeBatch, OutcomeReport } from './resources/outcomes.js';
export type { PaymentRequest, Reversal, ReversalRequest } from './resources/payments.js';
export type { Settlement, SettlementReport } from './resources/settlements.js';
export type {
  PendingStepUp,
  StepUpConfirmed,
  StepUpDenied,
  WaitOptions,
} from './resources/step-ups.js';
export type { ThresholdChange } from './resources/thresholds.js';
export type {
  CreatedWebhook,
  NewWebhook,
  Webhook,
  WebhookChange,
  WebhookDelivery,
  WebhookEventType,
} from './resources/webhooks.js';
export {
  verifyWebhook,
  type WebhookCheck,
  type WebhookHeaders,
  WebhookVerificationError,
} from './webhook.js';
export type { WebhookEvent } from './webhook-event.js';
