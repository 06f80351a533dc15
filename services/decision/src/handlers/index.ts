import type { Context } from '../context.js';
import { authorize } from './authorize.js';
import { confirmStepUp } from './confirm-step-up.js';
import { explainAuthorization } from './explain-authorization.js';
import { getAgentProfiles } from './get-agent-profiles.js';
import { getCase } from './get-case.js';
import { getThresholds } from './get-thresholds.js';
import type { DecisionHandlers } from './handler.js';
import { listAllFraudPatterns } from './list-all-fraud-patterns.js';
import { listCases } from './list-cases.js';
import { listFraudPatterns } from './list-fraud-patterns.js';
import { listSigningKeys } from './list-signing-keys.js';
import { previewThresholds } from './preview-thresholds.js';
import { putThresholds } from './put-thresholds.js';
import { recordFailSafe } from './record-fail-safe.js';
import { resetThresholds } from './reset-thresholds.js';
import { resolveCase } from './resolve-case.js';
import { rotateSigningKey } from './rotate-signing-key.js';
import { simulate } from './simulate.js';

export function handlers(context: Context): DecisionHandlers {
  return {
    Authorize: authorize(context),
    Simulate: simulate(context),
    ConfirmStepUp: confirmStepUp(context),
    ExplainAuthorization: explainAuthorization(context),
    RecordFailSafe: recordFailSafe(context),
    GetThresholds: getThresholds(context),
    PutThresholds: putThresholds(context),
    PreviewThresholds: previewThresholds(context),
    ResetThresholds: resetThresholds(context),
    GetAgentProfiles: getAgentProfiles(context),
    ListCases: listCases(context),
    GetCase: getCase(context),
    ResolveCase: resolveCase(context),
    ListFraudPatterns: listFraudPatterns(context),
    ListAllFraudPatterns: listAllFraudPatterns(context),
    ListSigningKeys: listSigningKeys(context),
    RotateSigningKey: rotateSigningKey(context),
  };
}
