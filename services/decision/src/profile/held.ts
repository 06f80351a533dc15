import type { BusEvent } from '@countersign/kernel/event';
import type { PoolClient } from '@countersign/runtime/database';
import { encodeIntArray, encodeTextArray } from '@countersign/runtime/database/sql-array';
import { profileSql } from '../sql.js';
import { type HeldThresholds, noThresholds, type StateCache } from '../state/cache.js';
import { announce, type TrustStep } from './announcement.js';
import type { ProfileEntry } from './entry.js';
import type { KnownMerchant } from './known-merchants.js';
import { agentOf, type ProfileEvent } from './learn.js';
import { unpackEntry } from './packed-entry.js';
import { unpackState } from './packed-state.js';
import type { ProfileState } from './state.js';
import { cacheTraces, type NotedTrace, type TracedProfile, type Untraced } from './traces.js';

interface HeldProfile extends TracedProfile {
  state: ProfileState;
  steps: readonly TrustStep[];
}

interface HeldEntry {
  agentId: string;
  entry: ProfileEntry;
  /** Set if it differs from its row. */
  changed: boolean;
}

/** The rows that a group of events concerns, as they were read and as they are to be written. */
export interface Held {
  profiles: Map<string, HeldProfile>;
  entries: Map<string, HeldEntry>;
  /** By Principal: they set the thresholds for promotion. */
  thresholds: Map<string, HeldThresholds>;
  learnt: KnownMerchant[];
  takenBack: KnownMerchant[];
  traces: NotedTrace[];
  untraced: Untraced[];
  /** How many profiles were outdated in the cache. */
  corrected: number;
}

interface HeldRow {
  kind: 'profile' | 'thresholds' | 'entry';
  id: string;
  version: number;
  content: string;
}

/** From the cache alone, which may be outdated and has no entries. */
export function heldFromCache(cache: StateCache, events: readonly ProfileEvent[]): Held {
  const held: Held = {
    profiles: new Map(),
    entries: new Map(),
    thresholds: new Map(),
    learnt: [],
    takenBack: [],
    traces: [],
    untraced: [],
    corrected: 0,
  };
  for (const event of events) {
    const principalId = event.principalId ?? '';
    held.thresholds.set(principalId, cache.thresholdsOf(principalId) ?? noThresholds);
    const agentId = agentOf(event) ?? '';
    const profile = cache.profileOf(agentId);
    if (profile) held.profiles.set(agentId, unlearnt(profile));
  }
  return held;
}

/** Locks the agents of the events, then reads their rows. */
export async function lockAndRead(
  client: PoolClient,
  cache: StateCache,
  events: readonly ProfileEvent[],
): Promise<Held> {
  const held = heldFromCache(cache, events);
  const agentIds = [...new Set(events.map((event) => agentOf(event) ?? ''))];
  const authorizationIds = [...new Set(events.map(({ data }) => data.authorizationId))];
  const thresholds = [...held.thresholds];
  const agents = encodeTextArray(agentIds);
  await client.query({ ...profileSql.lockAgents, values: [agents] });
  const { rows } = await client.query<HeldRow>({
    ...profileSql.read,
    values: [
      agents,
      encodeIntArray(agentIds.map((agentId) => held.profiles.get(agentId)?.version ?? 0)),
      encodeTextArray(thresholds.map(([principalId]) => principalId)),
      encodeIntArray(thresholds.map(([, { version }]) => version)),
      encodeTextArray(authorizationIds),
    ],
  });
  for (const row of rows) applyRow(held, row, cache);
  return held;
}

function applyRow(held: Held, { kind, id, version, content }: HeldRow, cache: StateCache): void {
  switch (kind) {
    case 'profile':
      held.profiles.set(id, unlearnt({ version, state: unpackState(content) }));
      held.corrected += 1;
      return;
    case 'thresholds':
      held.thresholds.set(id, cache.holdThresholds(id, version, content));
      return;
    case 'entry':
      held.entries.set(id, { agentId: '', entry: unpackEntry(content), changed: false });
  }
}

function unlearnt({ version, state }: { version: number; state: ProfileState }): HeldProfile {
  return { heldVersion: version, version, state, steps: [], learnt: false, tracesSince: 0 };
}

/** The events to publish; notes their times in the states, which are written after this. */
export function announceAll({ profiles }: Held): Array<BusEvent<'trust.changed'>> {
  return [...profiles].flatMap(([agentId, profile]) => {
    if (profile.steps.length === 0) return [];
    const { state, events } = announce(agentId, profile.state, profile.steps);
    profile.state = state;
    return events;
  });
}

/** Updates the cache; only after the commit, since its versions must exist in the database. */
export function updateCache(cache: StateCache, held: Held): void {
  cacheTraces(cache, held);
  for (const [agentId, { version, state, learnt }] of held.profiles) {
    if (learnt) cache.holdProfile(agentId, { version, state });
  }
}
