import type { DecisionDefinition } from './generated/countersign/decision/v1/Decision.js';
import { loadService } from './load.js';

export const decisionService = loadService<DecisionDefinition>(
  'decision',
  'countersign.decision.v1.Decision',
);

export type * from './generated/countersign/decision/v1/AgentProfile.js';
export type * from './generated/countersign/decision/v1/AuthorizeRequest.js';
export type * from './generated/countersign/decision/v1/AuthorizeResponse.js';
export type * from './generated/countersign/decision/v1/ConfirmStepUpRequest.js';
export type * from './generated/countersign/decision/v1/ConfirmStepUpResponse.js';
export type * from './generated/countersign/decision/v1/CryptoTransfer.js';
export type * from './generated/countersign/decision/v1/Decision.js';
export type * from './generated/countersign/decision/v1/DecisionCounts.js';
export type * from './generated/countersign/decision/v1/EvaluatedDecision.js';
export type * from './generated/countersign/decision/v1/ExplainAuthorizationRequest.js';
export type * from './generated/countersign/decision/v1/ExplainAuthorizationResponse.js';
export type * from './generated/countersign/decision/v1/FraudCase.js';
export type * from './generated/countersign/decision/v1/FraudSignal.js';
export type * from './generated/countersign/decision/v1/GetAgentProfilesRequest.js';
export type * from './generated/countersign/decision/v1/GetAgentProfilesResponse.js';
export type * from './generated/countersign/decision/v1/GetCaseRequest.js';
export type * from './generated/countersign/decision/v1/GetThresholdsRequest.js';
export type * from './generated/countersign/decision/v1/IntentContext.js';
export type * from './generated/countersign/decision/v1/ListCasesRequest.js';
export type * from './generated/countersign/decision/v1/ListCasesResponse.js';
export type * from './generated/countersign/decision/v1/ListSigningKeysResponse.js';
export type * from './generated/countersign/decision/v1/Payment.js';
export type * from './generated/countersign/decision/v1/PreviewedDecision.js';
export type * from './generated/countersign/decision/v1/PreviewThresholdsRequest.js';
export type * from './generated/countersign/decision/v1/PreviewThresholdsResponse.js';
export type * from './generated/countersign/decision/v1/PutThresholdsRequest.js';
export type * from './generated/countersign/decision/v1/PutThresholdsResponse.js';
export type * from './generated/countersign/decision/v1/RecordFailSafeRequest.js';
export type * from './generated/countersign/decision/v1/RecordFailSafeResponse.js';
export type * from './generated/countersign/decision/v1/ResolveCaseRequest.js';
export type * from './generated/countersign/decision/v1/RotateSigningKeyResponse.js';
export type * from './generated/countersign/decision/v1/SigningKey.js';
export type * from './generated/countersign/decision/v1/Thresholds.js';
