import type { PoolClient } from '@countersign/runtime/database';
import { type EarlyReport, type TriageState, watchName } from './apply.js';
import { asCase, type CaseRow, type FraudCase } from './case.js';
import { triageSql } from './sql.js';
import type { Watch } from './takeover.js';
import type { TriageInput } from './triage-input.js';

interface WatchRow {
  agentId: string;
  principalId: string;
  state: Watch;
}

/** Locks the agents and authorizations of the events, then reads their rows. */
export async function lockState(
  client: PoolClient,
  inputs: readonly TriageInput[],
): Promise<TriageState> {
  const agents = inputs.flatMap((input) => agentOf(input) ?? []);
  const authorizations = [...new Set(inputs.flatMap((input) => caseOf(input) ?? []))];
  const names = [...agents.map(({ agentId }) => agentId), ...authorizations];
  await client.query({ ...triageSql.lock, values: [names] });
  const state = emptyState();
  const pairs = [...new Map(agents.map((agent) => [watchName(agent), agent])).values()];
  if (pairs.length > 0) {
    const values = [pairs.map((pair) => pair.agentId), pairs.map((pair) => pair.principalId)];
    const { rows } = await client.query<WatchRow>({ ...triageSql.watches, values });
    for (const row of rows) state.watches.set(watchName(row), row.state);
  }
  if (authorizations.length > 0) await loadCases(client, state, authorizations);
  return state;
}

function emptyState(): TriageState {
  return {
    watches: new Map(),
    cases: new Map(),
    reports: new Map(),
    watched: new Set(),
    opened: new Set(),
    resolved: new Set(),
    reported: new Set(),
    patterns: [],
    announcements: [],
  };
}

async function loadCases(
  client: PoolClient,
  state: TriageState,
  ids: readonly string[],
): Promise<void> {
  const cases = await client.query<CaseRow>({ ...triageSql.cases, values: [ids] });
  for (const row of cases.rows) state.cases.set(row.authorizationId, asCase(row));
  const reports = await client.query<EarlyReport>({ ...triageSql.reports, values: [ids] });
  for (const row of reports.rows) state.reports.set(row.authorizationId, row);
}

/** Reads a case and locks its row until the transaction ends. */
export async function lockedCase(client: PoolClient, id: string): Promise<FraudCase | null> {
  const { rows } = await client.query<CaseRow>({ ...triageSql.oneCase, values: [id] });
  return rows[0] ? asCase(rows[0]) : null;
}

export async function writeResolution(client: PoolClient, resolved: FraudCase): Promise<void> {
  await put(client, triageSql.resolveCases, [resolved]);
}

/** Null for a report, which says nothing about the agent's behaviour. */
function agentOf(input: TriageInput): { agentId: string; principalId: string } | null {
  if (input.kind === 'report') return null;
  const { principalId } = input;
  const { agentId } = input.kind === 'decision' ? input.decision : input;
  return { agentId, principalId };
}

function caseOf(input: TriageInput): string | null {
  if (input.kind === 'denial') return null;
  const { authorizationId } = input.kind === 'decision' ? input.decision : input;
  return authorizationId;
}

export async function writeState(client: PoolClient, state: TriageState): Promise<void> {
  const { watches, cases, reports, opened, patterns } = state;
  const resolved = [...state.resolved].filter((id) => !opened.has(id));
  const watched = [...state.watched].map((name) => watchRow(name, watches));
  await put(client, triageSql.putWatches, watched);
  await put(client, triageSql.addCases, valuesOf(cases, opened));
  await put(client, triageSql.resolveCases, valuesOf(cases, resolved));
  await put(client, triageSql.addReports, valuesOf(reports, state.reported));
  await put(client, triageSql.addPatterns, patterns);
}

function valuesOf<T>(known: Map<string, T>, ids: Iterable<string>): Array<T | undefined> {
  return [...ids].map((id) => known.get(id));
}

async function put(
  client: PoolClient,
  statement: { name: string; text: string },
  rows: readonly unknown[],
): Promise<void> {
  if (rows.length === 0) return;
  await client.query({ ...statement, values: [JSON.stringify(rows)] });
}

function watchRow(name: string, watches: TriageState['watches']) {
  const [agentId, principalId] = name.split(' ');
  return { agentId, principalId, state: watches.get(name) };
}
