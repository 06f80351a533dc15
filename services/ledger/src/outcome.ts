import { isoTime } from '@countersign/kernel/clock';
import type { BusEvent } from '@countersign/kernel/event';
import { newId } from '@countersign/kernel/id';
import type { Tenant } from '@countersign/proto/conventions';
import type { OutcomeReport, RecordedOutcome } from '@countersign/proto/ledger';
import { inTransaction, type PoolClient } from '@countersign/runtime/database';
import type { Call } from '@countersign/runtime/grpc-types';
import { addToOutbox } from '@countersign/runtime/outbox';
import type { Context } from './context.js';
import { retryContended, unavailable } from './failure.js';
import {
  appendOutcomes,
  appendReferences,
  latestOutcomes,
  learntFrom,
  Overtaken,
  outcomeName,
} from './outcome/append.js';
import { type Match, type Matched, matchReports } from './outcome/match.js';
import { type OutcomeRow, type Reconciled, reconcile } from './outcome/reconcile.js';
import { outcomeTypes, reportProblem, tooFine } from './outcome/report.js';
import { outcomeMessage } from './outcome/view.js';

/** A report that is about an authorization of this tenant. */
interface Accepted {
  report: OutcomeReport;
  record: Matched;
}
type Result = { refusal: RecordedOutcome } | { accepted: Accepted };

/** An attempt fails only where a concurrent writer succeeded, so a few are plenty. */
const attempts = 10;

/**
 * Records reports in one transaction, each with a result of its own; a later report sees what an
 * earlier one of the batch has appended. Optimistic: nothing is locked, and on a conflict with
 * another writer all is read and tried again.
 */
export async function recordOutcomes(
  context: Context,
  { tenant, reports }: { tenant: Tenant; reports: readonly OutcomeReport[] },
  call: Call,
): Promise<RecordedOutcome[]> {
  const { pool } = context.stores[call.environment];
  const matches = await matchReports(pool, tenant, reports);
  const results = reports.map((report, index) => toResult(report, matches[index]));
  const accepted = results.flatMap((result) => ('accepted' in result ? result.accepted : []));
  const reconciled = await withoutOvertaking(() =>
    inTransaction(pool, (client) => append(client, accepted, { context, call })),
  );
  context.relays[call.environment].wake();
  const recorded = reconciled.values();
  return results.map((result) =>
    'refusal' in result ? result.refusal : toMessage(recorded.next().value),
  );
}

async function withoutOvertaking<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    try {
      return await retryContended(work);
    } catch (error) {
      if (!(error instanceof Overtaken)) throw error;
    }
  }
  throw unavailable('outcomes of one authorization overtook each other');
}

async function append(
  client: PoolClient,
  accepted: readonly Accepted[],
  { context, call }: { context: Context; call: Call },
): Promise<Reconciled[]> {
  const now = context.clock();
  const pairs = accepted.map(({ report, record }) => ({
    authorizationId: record.id,
    outcomeType: report.outcomeType,
  }));
  const latest = await latestOutcomes(client, pairs);
  const reconciled = accepted.map(({ report, record }) => {
    const { id: authorizationId, principalId } = record;
    const name = outcomeName({ authorizationId, outcomeType: report.outcomeType });
    const result = reconcile(latest.get(name), report, { authorizationId, principalId, now });
    latest.set(name, result.outcome);
    return { ...result, record };
  });
  const fresh = reconciled.filter(({ isNew }) => isNew);
  await appendOutcomes(
    client,
    fresh.map(({ outcome }) => outcome),
  );
  await appendReferences(
    client,
    accepted.flatMap(({ report, record }) => learntFrom(report, record)),
  );
  await addToOutbox(
    client,
    fresh.map((result) => recordedEvent(result, { call, now })),
  );
  return reconciled;
}

function toResult(report: OutcomeReport, match: Match | undefined): Result {
  const problem = reportProblem(report);
  if (problem) return { refusal: { status: 'invalid', error: problem } };
  if (!match || 'refused' in match) {
    return { refusal: { status: 'not_found', error: match?.refused ?? 'NOT_FOUND' } };
  }
  const { record } = match;
  const refusal = tooFine(report, record);
  return refusal ? { refusal } : { accepted: { report, record } };
}

function toMessage(result: Reconciled | undefined): RecordedOutcome {
  if (!result) throw new Error('fewer results than reports');
  return { status: result.status, outcome: outcomeMessage(result.outcome) };
}

function recordedEvent(
  { outcome, record, status }: Reconciled & { record: Matched },
  { call, now }: { call: Call; now: number },
): BusEvent<'outcome.recorded'> {
  return {
    id: newId('event'),
    type: 'outcome.recorded',
    environment: call.environment,
    principalId: record.principalId,
    clientId: record.clientId,
    requestId: call.requestId,
    occurredAt: isoTime(now),
    ...(call.trace && { trace: call.trace.carrier }),
    data: {
      outcomeId: outcome.id,
      authorizationId: record.id,
      agentId: record.agentId,
      outcomeType: outcome.outcomeType,
      reportedAt: isoTime(outcome.reportedAt.getTime()),
      reportedBy: outcome.reportedBy,
      updated: status === 'updated',
    },
  };
}

/** The outcomes of one authorization as they stand, newest first: one of each type at most. */
export async function listOutcomes(
  context: Context,
  authorizationId: string,
  call: Call,
): Promise<OutcomeRow[]> {
  const pairs = outcomeTypes.map((outcomeType) => ({ authorizationId, outcomeType }));
  const latest = await latestOutcomes(context.stores[call.environment].pool, pairs);
  return [...latest.values()].sort(
    (a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1),
  );
}
