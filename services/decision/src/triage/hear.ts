import type { BusEvent, FraudPatternSuspected } from '@countersign/kernel/event';
import { newId } from '@countersign/kernel/id';
import {
  announcement,
  type FraudCase,
  openedCase,
  openedEvent,
  resolvedCase,
  resolvedEvent,
} from './case.js';
import type { Concern } from './concern.js';
import { suspectedCode } from './suspicion.js';
import {
  emptyWatch,
  type Indicator,
  indicatorsIn,
  suspectTakeover,
  type Watch,
  withSighting,
} from './takeover.js';

/** What was reported of an authorization that has no case, or none yet. */
export interface EarlyReport {
  authorizationId: string;
  principalId: string;
  resolution: Extract<Concern, { kind: 'report' }>['resolution'];
  reportedBy: string;
  at: number;
}

export interface Pattern extends FraudPatternSuspected {
  principalId: string;
  at: number;
}

/** What a group of events is about, and then what became of it. */
export interface Held {
  /** By agent and Principal. */
  watches: Map<string, Watch>;
  /** By authorization. */
  cases: Map<string, FraudCase>;
  reports: Map<string, EarlyReport>;
  /** What is to be written and told. */
  watched: Set<string>;
  opened: Set<string>;
  resolved: Set<string>;
  reported: Set<string>;
  patterns: Pattern[];
  announcements: BusEvent[];
}

export function watchName({ agentId, principalId }: { agentId: string; principalId: string }) {
  return `${agentId} ${principalId}`;
}

/** Notes what follows from an event. Pure but for the ids; events may come in any order. */
export function hear(held: Held, concern: Concern): void {
  switch (concern.kind) {
    case 'decision':
      hearDecision(held, concern);
      break;
    case 'denial':
      watch(held, concern, { indicators: ['STEP_UPS_DENIED'], triaged: false });
      break;
    case 'report':
      hearReport(held, concern);
  }
}

type Decided = Extract<Concern, { kind: 'decision' }>;
type Reported = Extract<Concern, { kind: 'report' }>;

function hearDecision(held: Held, concern: Decided): void {
  const { decision, principalId } = concern;
  const { agentId, authorizationId } = decision;
  if (decision.reasonCodes.includes(suspectedCode)) open(held, concern);
  const about = { ...concern, agentId, authorizationId, principalId };
  watch(held, about, { indicators: indicatorsIn(decision), triaged: true });
}

/** One case for an authorization, whatever else is heard of it. */
function open(held: Held, concern: Decided): void {
  const { authorizationId } = concern.decision;
  if (held.cases.has(authorizationId)) return;
  const opened = openedCase(concern);
  held.cases.set(authorizationId, opened);
  held.opened.add(authorizationId);
  held.announcements.push(openedEvent(opened, concern.event));
  const report = held.reports.get(authorizationId);
  if (report) resolve(held, opened, { ...report, event: concern.event });
}

function hearReport(held: Held, concern: Reported): void {
  const { authorizationId, principalId, resolution, reportedBy, at } = concern;
  const about = held.cases.get(authorizationId);
  if (about) resolve(held, about, concern);
  if (about || held.reports.has(authorizationId)) return;
  held.reports.set(authorizationId, { authorizationId, principalId, resolution, reportedBy, at });
  held.reported.add(authorizationId);
}

/** The first who says so resolves it. */
function resolve(
  held: Held,
  about: FraudCase,
  { principalId, resolution, reportedBy, at, event }: EarlyReport & { event: BusEvent },
): void {
  if (about.status === 'RESOLVED' || about.principalId !== principalId) return;
  const { authorizationId } = about;
  const resolved = resolvedCase(about, { resolution, by: reportedBy, at });
  held.cases.set(authorizationId, resolved);
  held.resolved.add(authorizationId);
  held.announcements.push(resolvedEvent(resolved, event, { known: true }));
}

interface Seen {
  event: BusEvent;
  agentId: string;
  principalId: string;
  authorizationId: string;
  at: number;
}

function watch(
  held: Held,
  { event, agentId, principalId, authorizationId, at }: Seen,
  { indicators, triaged }: { indicators: readonly Indicator[]; triaged: boolean },
): void {
  const name = watchName({ agentId, principalId });
  const before = held.watches.get(name) ?? emptyWatch;
  let after: Watch = { ...before, triaged: before.triaged || triaged };
  for (const indicator of indicators)
    after = withSighting(after, indicator, { authorizationId, at });
  const found = suspectTakeover(after);
  held.watches.set(name, found?.watch ?? after);
  held.watched.add(name);
  if (!found) return;
  const pattern = { patternId: newId('fraudPattern'), agentId, ...found.suspected };
  held.patterns.push({ ...pattern, principalId, at: found.watch.suspectedAt ?? at });
  held.announcements.push(announcement('fraud.pattern_suspected', event, pattern));
}
