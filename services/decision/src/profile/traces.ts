import type { PoolClient } from '@countersign/runtime/database';
import { encodeIntArray, encodeTextArray } from '@countersign/runtime/database/sql-array';
import type { TraceRow } from '../anomaly/baseline.js';
import { wordNumber } from '../anomaly/trace.js';
import { traceText } from '../anomaly/trace-rows.js';
import { traceSql } from '../sql.js';
import type { StateCache } from '../state/cache.js';
import { isApproved, type ProfileEntry } from './entry.js';
import { isReportedAsFraud } from './trust.js';

/** A past authorization for comparison, as it is to be written. */
export interface NotedTrace extends TraceRow {
  agentId: string;
}

export interface Untraced {
  agentId: string;
  name: number;
}

/** The part of a profile that concerns its traces. */
export interface TracedProfile {
  /** Before this group of events; 0 if there is no row. */
  heldVersion: number;
  version: number;
  /** Set if an event taught something. */
  learnt: boolean;
  /** The version with which a trace was removed; 0 if none was. */
  tracesSince: number;
}

interface Noted {
  profiles: ReadonlyMap<string, TracedProfile>;
  traces: NotedTrace[];
  untraced: Untraced[];
}

/** The entry of an authorization before and after an event. */
export interface Change {
  agentId: string;
  authorizationId: string;
  before: ProfileEntry;
  after: ProfileEntry;
}

/** Adds, changes or removes the trace of an authorization after an event. */
export function noteTrace(held: Noted, profile: TracedProfile, change: Change): void {
  const { agentId, authorizationId, before, after } = change;
  const [was, is] = [standing(before), standing(after)];
  if (is === was) return;
  const name = wordNumber(authorizationId);
  if (is === null) {
    held.untraced.push({ agentId, name });
    profile.tracesSince = profile.version;
    return;
  }
  const { decided } = after;
  if (decided?.trace === undefined) return;
  const { at, trace: packed } = decided;
  const { version } = profile;
  held.traces.push({ agentId, version, approved: is === 'approved', at, name, packed });
}

/**
 * How a trace counts, null if it does not: a voided authorization never happened, and one that
 * was fraud is no example of the agent's behaviour. A reversed one still is.
 */
function standing(entry: ProfileEntry): 'approved' | 'other' | null {
  if (!entry.decided || entry.voided || isReportedAsFraud(entry)) return null;
  return isApproved(entry) ? 'approved' : 'other';
}

/** The rows of an agent are counted, and old ones removed, once in so many events. */
const trimEvery = 64;

/** For each column of their table in turn, and the agents of which some may be too many. */
export function traceColumns({ traces, profiles }: Noted) {
  const rows = [
    encodeTextArray(traces.map(({ agentId }) => agentId)),
    encodeIntArray(traces.map(({ version }) => version)),
    encodeTextArray(traces.map(({ approved }) => String(approved))),
    encodeTextArray(traces.map(({ at }) => String(at))),
    encodeTextArray(traces.map(({ name }) => String(name))),
    encodeTextArray(traces.map(({ packed }) => traceText(packed))),
  ];
  const times = (version: number): number => Math.floor(version / trimEvery);
  const full = [...profiles].filter(
    ([, { heldVersion, version }]) => times(version) > Math.max(1, times(heldVersion)),
  );
  return { rows, full: full.map(([agentId]) => agentId) };
}

export async function forgetTraces(client: PoolClient, held: Noted, full: string[]): Promise<void> {
  const { untraced } = held;
  if (full.length > 0) await client.query(traceSql.trim, [full]);
  if (untraced.length === 0) return;
  await client.query(traceSql.remove, [
    untraced.map(({ agentId }) => agentId),
    untraced.map(({ name }) => String(name)),
  ]);
}

/** After the commit, and only on top of what was known just before it. */
export function cacheTraces(cache: StateCache, { profiles, traces }: Noted): void {
  const rows = new Map<string, TraceRow[]>();
  for (const trace of traces) {
    rows.set(trace.agentId, [...(rows.get(trace.agentId) ?? []), trace]);
  }
  for (const [agentId, { learnt, heldVersion, version, tracesSince }] of profiles) {
    if (!learnt) continue;
    if (tracesSince > 0) {
      cache.forgetTraces(agentId);
      continue;
    }
    const held = cache.baselineOf(agentId);
    if ((held?.version ?? 0) !== heldVersion) continue;
    cache.holdTraces(agentId, { held, version, rows: rows.get(agentId) ?? [] });
  }
}
