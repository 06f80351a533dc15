import { remaining } from '../scores/decay.js';
import { type Contribution, contributionOf } from './contribution.js';
import type { ProfileEntry } from './entry.js';
import {
  type DecayedCounter,
  halfLives,
  type Mark,
  type MarkKind,
  maxMarks,
  type ProfileState,
} from './state.js';

/** Replaces the earlier contribution of an authorization; the order of events does not matter. */
export function replaceContribution(
  state: ProfileState,
  change: { authorizationId: string; before: ProfileEntry; after: ProfileEntry; at: number },
): ProfileState {
  const next = advance(state, change.at);
  const before = contributionOf(change.before);
  const after = contributionOf(change.after);
  applyCounts(next, before, -1);
  applyCounts(next, after, 1);
  if (before.marks.length > 0 || after.marks.length > 0) {
    next.marks = replaceMarks(next.marks, change.authorizationId, after.marks);
  }
  return next;
}

function replaceMarks(
  marks: ProfileState['marks'],
  authorizationId: string,
  given: Contribution['marks'],
): ProfileState['marks'] {
  const next = { ...marks };
  for (const kind of Object.keys(next) as MarkKind[]) {
    const kept = next[kind].filter((mark) => mark.authorizationId !== authorizationId);
    const added = given
      .filter((mark) => mark.kind === kind)
      .map(({ at }) => ({ authorizationId, at }));
    next[kind] = [...kept, ...added].sort(newestMark).slice(0, maxMarks);
  }
  return next;
}

/** Marks of one instant are ordered by name, so that the order of arrival does not matter. */
function newestMark(a: Mark, b: Mark): number {
  return b.at - a.at || (a.authorizationId < b.authorizationId ? -1 : 1);
}

/**
 * The state decayed to a later time; an event from the past leaves the time as it is. Parts that
 * do not change are shared with the former state, since most events change neither counts nor
 * marks.
 */
function advance(state: ProfileState, at: number): ProfileState {
  const asOf = Math.max(state.asOf, at);
  const decayed = { ...state.decayed };
  if (asOf > state.asOf) decay(decayed, asOf - state.asOf);
  return { ...state, asOf, decayed, totals: { ...state.totals } };
}

function decay(decayed: ProfileState['decayed'], ageMs: number): void {
  for (const [days, counters] of countersByHalfLife) {
    const rest = remaining(ageMs, days);
    for (const counter of counters) decayed[counter] *= rest;
  }
}

const countersByHalfLife = new Map<number, DecayedCounter[]>();
for (const [counter, days] of Object.entries(halfLives) as Array<[DecayedCounter, number]>) {
  const others = countersByHalfLife.get(days) ?? [];
  countersByHalfLife.set(days, [...others, counter]);
}

function applyCounts(state: ProfileState, contribution: Contribution, sign: 1 | -1): void {
  for (const { counter, weight, at } of contribution.decayed) {
    const age = state.asOf - at;
    const rest = age === 0 ? 1 : remaining(age, halfLives[counter]);
    state.decayed[counter] += sign * weight * rest;
  }
  const { totals } = contribution;
  state.totals.total += sign * totals.total;
  state.totals.approved += sign * totals.approved;
  state.totals.declined += sign * totals.declined;
  state.totals.successful += sign * totals.successful;
  const counted = Object.entries(contribution.outcomeCounts);
  if (counted.length === 0) return;
  state.outcomeCounts = { ...state.outcomeCounts };
  for (const [type, count] of counted) {
    state.outcomeCounts[type] = (state.outcomeCounts[type] ?? 0) + sign * count;
  }
}
