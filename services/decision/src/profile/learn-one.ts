import { noThresholds } from '../state/cache.js';
import { emptyEntry } from './entry.js';
import type { Held } from './held.js';
import { merchantMadeKnown } from './known-merchants.js';
import { agentOf, learn, type ProfileEvent } from './learn.js';
import { publishedScore } from './message.js';
import { type Change, noteTrace } from './traces.js';
import { levelAfter } from './trust.js';

/** Of an agent without a row. */
const newProfile = { heldVersion: 0, version: 0, state: null, steps: [], tracesSince: 0 };

/** Applies an event to the rows that were read; a decision that was applied before is ignored. */
export function learnOne(held: Held, event: ProfileEvent): void {
  const agentId = agentOf(event);
  if (agentId === null) return;
  const { authorizationId } = event.data;
  const profile = held.profiles.get(agentId) ?? newProfile;
  const known = held.entries.get(authorizationId)?.entry ?? null;
  if (event.type === 'authorization.recorded' && known?.decided) return;
  const { state, entry } = learn(event, { state: profile.state, entry: known });
  held.entries.set(authorizationId, { agentId, entry, changed: true });
  const change = { agentId, authorizationId, before: known ?? emptyEntry, after: entry };
  noteMerchant(held, change);
  // Without a judged decision the agent may be another tenant's: reports of this caller must
  // neither change that agent's level nor be measured by this caller's thresholds.
  if (!state || !entry.decided) return;
  const thresholds = held.thresholds.get(event.principalId ?? '') ?? noThresholds;
  const { trust: from } = state;
  const to = levelAfter(state, change, thresholds.resolved);
  const step = { from: from.level, to, kyaScore: publishedScore(state), cause: event };
  const learnt = {
    heldVersion: profile.heldVersion,
    version: profile.version + 1,
    state: { ...state, trust: { ...from, level: to } },
    steps: to === from.level ? profile.steps : [...profile.steps, step],
    learnt: true,
    tracesSince: profile.tracesSince,
  };
  held.profiles.set(agentId, learnt);
  noteTrace(held, learnt, change);
}

function noteMerchant({ learnt, takenBack }: Held, { before, after, ...patron }: Change): void {
  const [was, is] = [merchantMadeKnown(before), merchantMadeKnown(after)];
  if (is !== null && was === null) learnt.push({ ...patron, merchant: is });
  if (was !== null && is === null) takenBack.push({ ...patron, merchant: was });
}
