import type {
  DecisionCounts,
  EvaluatedDecision,
  PreviewedDecision,
  PreviewThresholdsResponse,
} from '@countersign/proto/decision';
import { moneyText } from './money.js';

export function thresholdsPreviewView(preview: PreviewThresholdsResponse) {
  return {
    fields_changed: preview.fieldsChanged,
    not_considered: preview.notConsidered,
    considered: preview.considered,
    oldest_at: preview.oldestAt ?? null,
    newest_at: preview.newestAt ?? null,
    before: countsView(preview.before),
    after: countsView(preview.after),
    changed: preview.changed.map(previewedView),
  };
}

function countsView(counts: DecisionCounts | null) {
  return {
    APPROVE: counts?.approve ?? 0,
    STEP_UP: counts?.stepUp ?? 0,
    DECLINE: counts?.decline ?? 0,
  };
}

function previewedView(previewed: PreviewedDecision) {
  return {
    authorization_id: previewed.authorizationId,
    amount: moneyText(previewed.amount, previewed.currency),
    currency: previewed.currency,
    created_at: previewed.createdAt,
    before: evaluatedView(previewed.before),
    after: evaluatedView(previewed.after),
  };
}

function evaluatedView(evaluated: EvaluatedDecision | null) {
  return {
    decision: evaluated?.decision ?? '',
    reason_codes: evaluated?.reasonCodes ?? [],
  };
}
