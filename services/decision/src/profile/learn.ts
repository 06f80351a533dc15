import type { BusEvent, RecordedAuthorization } from '@countersign/kernel/event';
import { failSafeCode } from '@countersign/kernel/fail-safe';
import { unroundedScore } from '../scores/kya.js';
import {
  emptyEntry,
  type ProfileEntry,
  withAmendment,
  withDecision,
  withOutcome,
} from './entry.js';
import { replaceContribution } from './replace-contribution.js';
import { emptyState, type ProfileState, type SeenAgent } from './state.js';

export type ProfileEvent =
  | BusEvent<'authorization.recorded'>
  | BusEvent<'authorization.amended'>
  | BusEvent<'outcome.recorded'>;

interface Learnt {
  /** Null until the first judged decision has arrived. */
  state: ProfileState | null;
  entry: ProfileEntry;
}

/** The agent whose profile an event changes, or null when it changes none. */
export function agentOf(event: ProfileEvent): string | null {
  if (event.type === 'authorization.recorded' && !isJudged(event.data)) return null;
  return event.data.agentId;
}

/**
 * False for fail-safe answers, which say nothing about the agent, and for agents that were not
 * found: those may be another tenant's, whose profile a stranger's request must not change.
 */
function isJudged({ reasonCodes, learning }: RecordedAuthorization): boolean {
  return learning !== undefined && !reasonCodes.includes(failSafeCode);
}

/**
 * The profile after an event. `state` and `entry` are null if there is none yet for the agent or
 * the authorization. Pure; uses the time of the event.
 *
 * An event of an authorization whose decision has not arrived is stored in its entry without
 * effect on the profile: it may have overtaken the decision, or belong to one that was never
 * judged.
 */
export function learn(
  event: ProfileEvent,
  known: { state: ProfileState | null; entry: ProfileEntry | null },
): Learnt {
  const at = Date.parse(event.occurredAt);
  const before = known.entry ?? emptyEntry;
  const after = changed(before, event, at);
  const seen = seenIn(event) ?? known.state?.seen;
  if (!after.decided || !seen) return { state: known.state, entry: after };
  const state = { ...(known.state ?? emptyState(at, seen)), seen };
  const next = replaceContribution(state, {
    authorizationId: event.data.authorizationId,
    before,
    after,
    at,
  });
  return { state: scored(next, event), entry: after };
}

function changed(entry: ProfileEntry, event: ProfileEvent, at: number): ProfileEntry {
  switch (event.type) {
    case 'authorization.recorded':
      return withDecision(entry, event);
    case 'authorization.amended':
      return withAmendment(entry, event.data, at);
    case 'outcome.recorded':
      return withOutcome(entry, event.data, at);
  }
}

function seenIn(event: ProfileEvent): SeenAgent | null {
  if (event.type !== 'authorization.recorded' || !event.data.learning) return null;
  const { trustLevel, agentCreatedAt, principalVerified, keyRegistered } = event.data.learning;
  return { trustLevel, agentCreatedAt, principalVerified, keyRegistered };
}

/** The first decision of an agent was made with the prior's score: upward moves start there. */
function scored(state: ProfileState, event: ProfileEvent): ProfileState {
  const first =
    event.type === 'authorization.recorded'
      ? { value: event.data.kyaScore, at: Date.parse(event.occurredAt) }
      : null;
  const { principalVerified, keyRegistered, agentCreatedAt } = state.seen;
  const limited = state.score ? state : { ...state, score: first };
  const now = state.asOf;
  const past = { state: limited, principalVerified, keyRegistered, agentCreatedAt, now };
  return { ...state, score: { value: unroundedScore(past), at: now } };
}
