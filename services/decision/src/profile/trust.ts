import {
  hasPaidEnough,
  nextTrustLevel,
  promotionTo,
  type ResolvedThresholds,
  type TrustLevel,
} from '@countersign/kernel/trust';
import type { ProfileEntry } from './entry.js';
import { profileMessage } from './message.js';
import type { ProfileState } from './state.js';

/**
 * The level after an event: the lowest one if the event is a report of fraud or of an
 * unauthorized payment, else at most one step up, by the same numbers that the agent's metrics
 * show.
 */
export function levelAfter(
  state: ProfileState,
  change: { before: ProfileEntry; after: ProfileEntry },
  thresholds: ResolvedThresholds,
): TrustLevel {
  const { level } = state.trust;
  if (condemnations(change.after) > condemnations(change.before)) return 'REGISTERED';
  const next = nextTrustLevel(level);
  // Cheap test first: most agents have too few payments for the next level.
  if (!next || !hasPaidEnough(next, state.totals.successful, thresholds)) return level;
  const standing = {
    ...profileMessage('', state),
    createdAt: Date.parse(state.seen.agentCreatedAt),
    now: state.asOf,
  };
  return promotionTo(next, standing, thresholds).eligible ? next : level;
}

const fraudOutcomes = ['CONFIRMED_FRAUD', 'PRINCIPAL_CONFIRMED_UNAUTHORIZED'];

/** Reported as fraud, or as unauthorized by its Principal. */
export function isReportedAsFraud(entry: ProfileEntry): boolean {
  return condemnations(entry) > 0;
}

/** 0 before the decision has arrived: until then neither its tenant nor its verdict is known. */
function condemnations({ decided, voided, outcomes }: ProfileEntry): number {
  return decided && !voided ? fraudOutcomes.filter((type) => type in outcomes).length : 0;
}
