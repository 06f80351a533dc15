import type { Thresholds } from '@countersign/kernel/threshold';
import type { Baseline } from '../anomaly/baseline.js';
import { readTraces } from '../anomaly/trace-rows.js';
import type { ProfileFacts } from '../facts/shape.js';
import { unpackState } from '../profile/packed-state.js';
import { type HeldThresholds, noThresholds, type StateCache } from './cache.js';

export interface StoredState {
  thresholds: Thresholds;
  profile: ProfileFacts | null;
  /** The past payments that a payment of the agent is compared with. */
  baseline: Baseline | null;
}

export interface Asked {
  principalId: string;
  agentId: string;
}

/** What this process has cached, used if it is still current. */
export interface HeldState {
  /** Null where they have not been read yet. */
  thresholds: HeldThresholds | null;
  profile: ProfileFacts | null;
  baseline: Baseline | null;
  /** The version of the baseline when the read was queued: it may have grown since. */
  traced: number;
}

/** A row for a pair of which something cached is outdated; columns that are current are null. */
export interface StateRow {
  /** Index of the pair, counted from 1. */
  place: number;
  thresholds_version: number | null;
  /** As JSON text. */
  overrides: string | null;
  profile_version: number | null;
  /** Null also if only traces are newer. */
  profile: string | null;
  traces_since: number | null;
  /** Lists without the outermost brackets. */
  traces: string | null;
}

export function heldState(cache: StateCache, { principalId, agentId }: Asked): HeldState {
  const baseline = cache.baselineOf(agentId);
  return {
    thresholds: cache.thresholdsOf(principalId),
    profile: cache.profileOf(agentId),
    baseline,
    traced: baseline?.version ?? 0,
  };
}

/** What was cached, with what the row has that is newer; the cache is updated with that. */
export function mergeState(
  cache: StateCache,
  { principalId, agentId, held }: Asked & { held: HeldState },
  row: StateRow | undefined,
): StoredState {
  let { thresholds, profile, baseline } = held;
  if (row?.overrides && row.thresholds_version !== null) {
    const { thresholds_version: version, overrides } = row;
    thresholds = cache.holdThresholds(principalId, version, overrides);
  } else if (thresholds === null) cache.holdNone(principalId);
  if (row?.profile && row.profile_version !== null) {
    const newer = { version: row.profile_version, content: row.profile, held };
    profile = newerProfile(cache, agentId, newer);
  }
  if (row?.profile_version && row.profile_version !== held.traced) {
    baseline = newerBaseline(cache, agentId, { held, row });
  }
  return { thresholds: (thresholds ?? noThresholds).thresholds, profile, baseline };
}

function newerBaseline(
  cache: StateCache,
  agentId: string,
  { held, row }: { held: HeldState; row: StateRow },
): Baseline {
  // Some rows were deleted since: then all rows were sent, to replace the baseline.
  const isStale = (row.traces_since ?? 0) > held.traced;
  return cache.holdTraces(agentId, {
    held: isStale ? null : held.baseline,
    version: row.profile_version ?? 0,
    rows: readTraces(row.traces),
  });
}

function newerProfile(
  cache: StateCache,
  agentId: string,
  { version, content, held }: { version: number; content: string; held: HeldState },
): ProfileFacts {
  const known = cache.profileOf(agentId);
  // Updated in this process while the statement ran.
  if (known?.version === version) return known;
  const profile = { version, state: unpackState(content) };
  // Unless a newer profile has been cached meanwhile.
  if (known === held.profile) cache.holdProfile(agentId, profile);
  return profile;
}

/** How much of the history was transferred: all of it if nothing was cached. */
export function transferredPart(
  held: Baseline | null,
  row: StateRow | undefined,
): 'none' | 'newer' | 'whole' {
  if (!row?.traces) return 'none';
  return held ? 'newer' : 'whole';
}
