import { type ThresholdKey, type Thresholds, thresholdTable } from '@countersign/kernel/threshold';
import type { DecisionWord } from '@countersign/kernel/vocabulary';
import type {
  DecisionCounts,
  EvaluatedDecision,
  PreviewedDecision,
  PreviewThresholdsResponse,
} from '@countersign/proto/decision';
import type { DecisionInput } from '@countersign/proto/ledger';
import { evaluate } from '../evaluate.js';
import type { Facts } from '../facts/shape.js';
import { applyChanges } from './changes.js';
import { type Overrides, resolveThresholds } from './table.js';

/**
 * Thresholds that act while facts are gathered, or on promotion only: evaluating recorded facts
 * again does not show their effect.
 */
const notEvaluated: ReadonlySet<ThresholdKey> = new Set([
  'intentAnomalyMinHistory',
  'newMerchantStepUpAmount',
  'velocityBurstCount',
  'velocityBurstWindowSeconds',
  'verifiedMinSuccessfulTxns',
  'trustedMinSuccessfulTxns',
  'verifiedMinAccountAgeHours',
  'trustedMinAccountAgeHours',
  'verifiedMaxDeclineRate',
  'trustedMaxDeclineRate',
  'verifiedMinDisputeDeflectionRate',
  'trustedMinDisputeDeflectionRate',
]);

interface PlannedChange {
  before: Thresholds;
  /** With the present values of those that are not evaluated. */
  after: Thresholds;
  fieldsChanged: string[];
  notConsidered: string[];
}

/** Throws a Fault with every problem, as the change itself would. */
export function plannedChange(current: Overrides, changes: unknown): PlannedChange {
  const { overrides, changed } = applyChanges(current, changes);
  const before = resolveThresholds(current);
  const planned = resolveThresholds(overrides);
  const kept = thresholdTable.filter(({ key }) => notEvaluated.has(key));
  return {
    before,
    after: { ...planned, ...Object.fromEntries(kept.map(({ key }) => [key, before[key]])) },
    fieldsChanged: changed,
    notConsidered: kept.map(({ field }) => field).filter((field) => changed.includes(field)),
  };
}

/** One recorded decision, evaluated with the present and with the planned thresholds. */
export function previewed(
  { authorizationId, amount, currency, createdAt }: DecisionInput,
  facts: Facts,
  { before, after }: PlannedChange,
): PreviewedDecision {
  return {
    authorizationId,
    amount,
    currency,
    createdAt,
    before: evaluatedWith(before, facts),
    after: evaluatedWith(after, facts),
  };
}

function evaluatedWith(thresholds: Thresholds, facts: Facts): EvaluatedDecision {
  const { decision, reasonCodes } = evaluate({ ...facts, thresholds });
  return { decision, reasonCodes };
}

/** `decisions` are newest first. */
export function summary(
  decisions: readonly PreviewedDecision[],
  { fieldsChanged, notConsidered }: PlannedChange,
): PreviewThresholdsResponse {
  const [newest] = decisions;
  const oldest = decisions.at(-1);
  return {
    fieldsChanged,
    notConsidered,
    considered: decisions.length,
    ...(newest && oldest && { oldestAt: oldest.createdAt, newestAt: newest.createdAt }),
    before: countsOf(decisions.map(({ before }) => before)),
    after: countsOf(decisions.map(({ after }) => after)),
    changed: decisions.filter(({ before, after }) => !isSame(before, after)),
  };
}

type Evaluated = EvaluatedDecision | null;

function countsOf(evaluated: readonly Evaluated[]): DecisionCounts {
  const count = (word: DecisionWord): number =>
    evaluated.filter((each) => each?.decision === word).length;
  return { approve: count('APPROVE'), stepUp: count('STEP_UP'), decline: count('DECLINE') };
}

function isSame(before: Evaluated, after: Evaluated): boolean {
  return (
    before?.decision === after?.decision && before?.reasonCodes.join() === after?.reasonCodes.join()
  );
}
