import type { LedgerDefinition } from './generated/countersign/ledger/v1/Ledger.js';
import { loadService } from './load.js';

export const ledgerService = loadService<LedgerDefinition>(
  'ledger',
  'countersign.ledger.v1.Ledger',
);

export type * from './generated/countersign/ledger/v1/AuthorizationEntry.js';
export type * from './generated/countersign/ledger/v1/CommitRequest.js';
export type * from './generated/countersign/ledger/v1/CommitResponse.js';
export type * from './generated/countersign/ledger/v1/ConfirmStepUpRequest.js';
export type * from './generated/countersign/ledger/v1/ConfirmStepUpResponse.js';
export type * from './generated/countersign/ledger/v1/DecisionInput.js';
export type * from './generated/countersign/ledger/v1/DecisionStep.js';
export type * from './generated/countersign/ledger/v1/DenyStepUpRequest.js';
export type * from './generated/countersign/ledger/v1/DenyStepUpResponse.js';
export type * from './generated/countersign/ledger/v1/EntityVersion.js';
export type * from './generated/countersign/ledger/v1/FenceRequest.js';
export type * from './generated/countersign/ledger/v1/FindReplayRequest.js';
export type * from './generated/countersign/ledger/v1/FindReplayResponse.js';
export type * from './generated/countersign/ledger/v1/GetAuthorizationRequest.js';
export type * from './generated/countersign/ledger/v1/GetUsageRequest.js';
export type * from './generated/countersign/ledger/v1/IntentClaim.js';
export type * from './generated/countersign/ledger/v1/IntentPresentation.js';
export type * from './generated/countersign/ledger/v1/IntentSubject.js';
export type * from './generated/countersign/ledger/v1/IntentSubjectRequest.js';
export type * from './generated/countersign/ledger/v1/Ledger.js';
export type * from './generated/countersign/ledger/v1/Limits.js';
export type * from './generated/countersign/ledger/v1/ListAgentAuthorizationsRequest.js';
export type * from './generated/countersign/ledger/v1/ListAuthorizationsResponse.js';
export type * from './generated/countersign/ledger/v1/ListDecisionInputsResponse.js';
export type * from './generated/countersign/ledger/v1/ListIntentSubjectsRequest.js';
export type * from './generated/countersign/ledger/v1/ListIntentSubjectsResponse.js';
export type * from './generated/countersign/ledger/v1/ListOutcomesRequest.js';
export type * from './generated/countersign/ledger/v1/ListOutcomesResponse.js';
export type * from './generated/countersign/ledger/v1/ListPendingStepUpsRequest.js';
export type * from './generated/countersign/ledger/v1/NamedTransaction.js';
export type * from './generated/countersign/ledger/v1/Outcome.js';
export type * from './generated/countersign/ledger/v1/OutcomeReport.js';
export type * from './generated/countersign/ledger/v1/RecordedOutcome.js';
export type * from './generated/countersign/ledger/v1/RecordOutcomesRequest.js';
export type * from './generated/countersign/ledger/v1/RecordOutcomesResponse.js';
export type * from './generated/countersign/ledger/v1/ReverseRequest.js';
export type * from './generated/countersign/ledger/v1/ReverseResponse.js';
export type * from './generated/countersign/ledger/v1/StepUp.js';
export type * from './generated/countersign/ledger/v1/Usage.js';
