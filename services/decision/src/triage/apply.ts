import type { BusEvent, FraudPatternSuspected } from '@countersign/kernel/event';
import { newId } from '@countersign/kernel/id';
import { causedEvent } from '../caused-event.js';
import { type FraudCase, openedCase, openedEvent, resolvedCase, resolvedEvent } from './case.js';
import { suspectedCode } from './suspicion.js';
import {
  emptyWatch,
  type Indicator,
  indicatorsIn,
  suspectTakeover,
  type Watch,
  withSighting,
} from './takeover.js';
import type { DecisionInput, ReportInput, TriageInput } from './triage-input.js';

/** A report about an authorization that has no case, perhaps because it overtook the decision. */
export interface EarlyReport {
  authorizationId: string;
  principalId: string;
  resolution: ReportInput['resolution'];
  reportedBy: string;
  at: number;
}

interface Pattern extends FraudPatternSuspected {
  principalId: string;
  at: number;
}

/** The rows that a group of events concerns, as they were read and as they are to be written. */
export interface TriageState {
  /** By agent and Principal. */
  watches: Map<string, Watch>;
  /** By authorization. */
  cases: Map<string, FraudCase>;
  reports: Map<string, EarlyReport>;
  /** Keys of the above that are to be written. */
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

/** Changes the state by one event. Draws ids, else pure; events may come in any order. */
export function applyInput(state: TriageState, input: TriageInput): void {
  switch (input.kind) {
    case 'decision':
      applyDecision(state, input);
      break;
    case 'denial':
      watch(state, input, ['STEP_UPS_DENIED']);
      break;
    case 'report':
      applyReport(state, input);
  }
}

function applyDecision(state: TriageState, input: DecisionInput): void {
  const { decision, principalId } = input;
  const { agentId, authorizationId } = decision;
  if (decision.reasonCodes.includes(suspectedCode)) open(state, input);
  const about = { ...input, agentId, authorizationId, principalId };
  watch(state, about, indicatorsIn(decision));
}

/** At most one case per authorization. */
function open(state: TriageState, input: DecisionInput): void {
  const { authorizationId } = input.decision;
  if (state.cases.has(authorizationId)) return;
  const opened = openedCase(input);
  state.cases.set(authorizationId, opened);
  state.opened.add(authorizationId);
  state.announcements.push(openedEvent(opened, input.event));
  const report = state.reports.get(authorizationId);
  if (report) resolve(state, opened, { ...report, event: input.event });
}

function applyReport(state: TriageState, input: ReportInput): void {
  const { authorizationId, principalId, resolution, reportedBy, at } = input;
  const about = state.cases.get(authorizationId);
  if (about) resolve(state, about, input);
  if (about || state.reports.has(authorizationId)) return;
  state.reports.set(authorizationId, { authorizationId, principalId, resolution, reportedBy, at });
  state.reported.add(authorizationId);
}

/** The first report resolves the case; later ones change nothing. */
function resolve(
  state: TriageState,
  about: FraudCase,
  { principalId, resolution, reportedBy, at, event }: EarlyReport & { event: BusEvent },
): void {
  if (about.status === 'RESOLVED' || about.principalId !== principalId) return;
  const { authorizationId } = about;
  const resolved = resolvedCase(about, { resolution, by: reportedBy, at });
  state.cases.set(authorizationId, resolved);
  state.resolved.add(authorizationId);
  state.announcements.push(resolvedEvent(resolved, event, { known: true }));
}

interface Seen {
  event: BusEvent;
  agentId: string;
  principalId: string;
  authorizationId: string;
  at: number;
}

function watch(
  state: TriageState,
  { event, agentId, principalId, authorizationId, at }: Seen,
  indicators: readonly Indicator[],
): void {
  const name = watchName({ agentId, principalId });
  const before = state.watches.get(name) ?? emptyWatch;
  let after: Watch = before;
  for (const indicator of indicators)
    after = withSighting(after, indicator, { authorizationId, at });
  const found = suspectTakeover(after);
  state.watches.set(name, found?.watch ?? after);
  state.watched.add(name);
  if (!found) return;
  const pattern = { patternId: newId('fraudPattern'), agentId, ...found.suspected };
  state.patterns.push({ ...pattern, principalId, at: found.watch.suspectedAt ?? at });
  state.announcements.push(causedEvent('fraud.pattern_suspected', event, pattern));
}
