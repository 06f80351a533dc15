import type { PoolClient } from '@countersign/runtime/database';
import type { FraudCase } from './case.js';
import type { Concern } from './concern.js';
import { type EarlyReport, type Held, watchName } from './hear.js';
import { triageSql } from './sql.js';
import type { Watch } from './takeover.js';

interface WatchRow {
  agentId: string;
  principalId: string;
  state: Watch;
}

/** As the database gives it. */
type CaseRow = Omit<FraudCase, 'resolvedAt' | 'createdAt'> & {
  resolvedAt: Date | null;
  createdAt: Date;
};

/** Locks what the events are about, then reads it: replicas take turns with an agent or a case. */
export async function hold(client: PoolClient, concerns: readonly Concern[]): Promise<Held> {
  const agents = concerns.flatMap((concern) => agentOf(concern) ?? []);
  const authorizations = [...new Set(concerns.flatMap((concern) => caseOf(concern) ?? []))];
  const names = [...agents.map(({ agentId }) => agentId), ...authorizations];
  await client.query({ ...triageSql.lock, values: [names] });
  const held = nothingHeld();
  const pairs = [...new Map(agents.map((agent) => [watchName(agent), agent])).values()];
  if (pairs.length > 0) {
    const values = [pairs.map((pair) => pair.agentId), pairs.map((pair) => pair.principalId)];
    const { rows } = await client.query<WatchRow>({ ...triageSql.watches, values });
    for (const row of rows) held.watches.set(watchName(row), row.state);
  }
  if (authorizations.length > 0) await holdCases(client, held, authorizations);
  return held;
}

function nothingHeld(): Held {
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

async function holdCases(client: PoolClient, held: Held, ids: readonly string[]): Promise<void> {
  const cases = await client.query<CaseRow>({ ...triageSql.cases, values: [ids] });
  for (const row of cases.rows) held.cases.set(row.authorizationId, asCase(row));
  const reports = await client.query<EarlyReport>({ ...triageSql.reports, values: [ids] });
  for (const row of reports.rows) held.reports.set(row.authorizationId, row);
}

function asCase(row: CaseRow): FraudCase {
  const resolvedAt = row.resolvedAt?.toISOString() ?? null;
  return { ...row, resolvedAt, createdAt: row.createdAt.toISOString() };
}

/** Whoever else would resolve it waits until this transaction ends. */
export async function lockedCase(client: PoolClient, id: string): Promise<FraudCase | null> {
  const { rows } = await client.query<CaseRow>({ ...triageSql.oneCase, values: [id] });
  return rows[0] ? asCase(rows[0]) : null;
}

export async function writeResolution(client: PoolClient, resolved: FraudCase): Promise<void> {
  await put(client, triageSql.resolveCases, [resolved]);
}

/** An outcome says nothing of how the agent behaved. */
function agentOf(concern: Concern): { agentId: string; principalId: string } | null {
  if (concern.kind === 'report') return null;
  const { principalId } = concern;
  const { agentId } = concern.kind === 'decision' ? concern.decision : concern;
  return { agentId, principalId };
}

function caseOf(concern: Concern): string | null {
  if (concern.kind === 'denial') return null;
  const { authorizationId } = concern.kind === 'decision' ? concern.decision : concern;
  return authorizationId;
}

export async function write(client: PoolClient, held: Held): Promise<void> {
  const { watches, cases, reports, opened, patterns } = held;
  const resolved = [...held.resolved].filter((id) => !opened.has(id));
  const watched = [...held.watched].map((name) => watchRow(name, watches));
  await put(client, triageSql.putWatches, watched);
  await put(client, triageSql.addCases, of(cases, opened));
  await put(client, triageSql.resolveCases, of(cases, resolved));
  await put(client, triageSql.addReports, of(reports, held.reported));
  await put(client, triageSql.addPatterns, patterns);
}

function of<T>(known: Map<string, T>, ids: Iterable<string>): Array<T | undefined> {
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

function watchRow(name: string, watches: Held['watches']) {
  const [agentId, principalId] = name.split(' ');
  return { agentId, principalId, state: watches.get(name) };
}
