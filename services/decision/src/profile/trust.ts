import {
  hasPaidEnough,
  nextTrustLevel,
  promotionTo,
  type ResolvedThresholds,
  type TrustLevel,
  trustLevels,
} from '@countersign/kernel/trust';
import type { ProfileEntry } from './entry.js';
import { profileMessage } from './message.js';
import type { ProfileState, TrustState } from './state.js';

/** Of a state that says nothing of it: nobody but this service moves levels, so the seen one. */
export function trustOf({ trust, seen, asOf }: ProfileState): TrustState {
  const level = trustLevels.find((known) => known === seen.trustLevel) ?? 'REGISTERED';
  return trust ?? { level, toldAt: asOf };
}

/**
 * The level after an event, at most one step up: what condemns an authorization costs everything,
 * and no event that does so promotes as well. Judged by the very numbers that metrics show.
 */
export function levelAfter(
  state: ProfileState,
  change: { before: ProfileEntry; after: ProfileEntry },
  thresholds: ResolvedThresholds,
): TrustLevel {
  const { level } = trustOf(state);
  if (condemnations(change.after) > condemnations(change.before)) return 'REGISTERED';
  const next = nextTrustLevel(level);
  // Most are far from any, which their number of payments says.
  if (!next || !hasPaidEnough(next, state.totals.successful, thresholds)) return level;
  const standing = {
    ...profileMessage('', state),
    createdAt: Date.parse(state.seen.agentCreatedAt),
    now: state.asOf,
  };
  return promotionTo(next, standing, thresholds).eligible ? next : level;
}

const condemning = ['CONFIRMED_FRAUD', 'PRINCIPAL_CONFIRMED_UNAUTHORIZED'];

/** Reported as a payment that its Principal did not want. */
export function isCondemned(entry: ProfileEntry): boolean {
  return condemnations(entry) > 0;
}

/** None before the decision is known: whose it is and whether it was judged is open until then. */
function condemnations({ decided, voided, outcomes }: ProfileEntry): number {
  return decided && !voided ? condemning.filter((type) => type in outcomes).length : 0;
}
