import { isoTime } from '@countersign/kernel/clock';
import type { BusEvent } from '@countersign/kernel/event';
import type { TrustLevel } from '@countersign/kernel/trust';
import { causedEvent } from '../caused-event.js';
import type { ProfileEvent } from './learn.js';
import type { ProfileState } from './state.js';

export interface TrustStep {
  from: TrustLevel;
  to: TrustLevel;
  kyaScore: number | null;
  /** The event that led to it. */
  cause: ProfileEvent;
}

/**
 * The events that announce changes of trust level, oldest first. Each has a later time than the one
 * before, kept in the state, since consumers that receive them out of order go by the time.
 */
export function announce(
  agentId: string,
  state: ProfileState,
  steps: readonly TrustStep[],
): { state: ProfileState; events: Array<BusEvent<'trust.changed'>> } {
  const { level } = state.trust;
  let { toldAt } = state.trust;
  const events: Array<BusEvent<'trust.changed'>> = [];
  for (const step of steps) {
    toldAt = Math.max(state.asOf, toldAt + 1);
    events.push(trustChanged(agentId, step, isoTime(toldAt)));
  }
  return { state: { ...state, trust: { level, toldAt } }, events };
}

function trustChanged(
  agentId: string,
  { from, to, kyaScore, cause }: TrustStep,
  occurredAt: string,
): BusEvent<'trust.changed'> {
  return causedEvent(
    'trust.changed',
    { ...cause, occurredAt },
    {
      agentId,
      authorizationId: cause.data.authorizationId,
      previousTrustLevel: from,
      newTrustLevel: to,
      promoted: to !== from && to !== 'REGISTERED',
      kyaScore,
    },
  );
}
