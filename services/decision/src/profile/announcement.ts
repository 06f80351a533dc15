import { isoTime } from '@countersign/kernel/clock';
import type { BusEvent } from '@countersign/kernel/event';
import { newId } from '@countersign/kernel/id';
import type { TrustLevel } from '@countersign/kernel/trust';
import type { ProfileEvent } from './learn.js';
import type { ProfileState } from './state.js';
import { trustOf } from './trust.js';

export interface TrustStep {
  from: TrustLevel;
  to: TrustLevel;
  kyaScore: number | null;
  /** What the step followed from. */
  cause: ProfileEvent;
}

export interface Taught {
  state: ProfileState;
  /** The score that was last announced; null before the first. */
  announced: number | null;
  /** Changes of level, oldest first. */
  steps: readonly TrustStep[];
  /** The last event that taught something. */
  cause: ProfileEvent;
}

/**
 * Every change of level is announced, and the score where it is another one than was announced
 * last: between two batches nobody has seen it. The state remembers when the last was told.
 */
export function announce(
  agentId: string,
  { state, announced, steps, cause }: Taught,
): { state: ProfileState; events: Array<BusEvent<'trust.changed'>> } {
  const { level } = trustOf(state);
  let { toldAt } = trustOf(state);
  const kyaScore = state.score?.value ?? null;
  const said = steps.at(-1)?.kyaScore ?? announced;
  const scored = kyaScore === said ? [] : [{ from: level, to: level, kyaScore, cause }];
  const events: Array<BusEvent<'trust.changed'>> = [];
  for (const step of [...steps, ...scored]) {
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
  const { environment, principalId, clientId, requestId, data } = cause;
  return {
    id: newId('event'),
    type: 'trust.changed',
    environment,
    principalId,
    clientId,
    requestId,
    occurredAt,
    data: {
      agentId,
      authorizationId: data.authorizationId,
      previousTrustLevel: from,
      newTrustLevel: to,
      promoted: to !== from && to !== 'REGISTERED',
      kyaScore,
    },
  };
}
