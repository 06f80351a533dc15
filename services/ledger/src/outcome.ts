import { isoTime } from '@countersign/kernel/clock';
import type { BusEvent } from '@countersign/kernel/event';
import { newId } from '@countersign/kernel/id';
import type { Tenant } from '@countersign/proto/conventions';
import type { Outcome, OutcomeReport, RecordedOutcome } from '@countersign/proto/ledger';
import { inTransaction, type PoolClient } from '@countersign/runtime/database';
import type { Call } from '@countersign/runtime/grpc-types';
import { addToOutbox } from '@countersign/runtime/outbox/add';
import type { Context } from './context.js';
import { readStatementTimeoutMs } from './db.js';
import { type AttemptLimits, retryContended, unavailable } from './failure.js';
import {
  appendOutcomes,
  appendReferences,
  latestOutcomes,
  newReferences,
  outcomeName,
  RevisionConflict,
} from './outcome/append.js';
import { type Match, type MatchedAuthorization, matchReports } from './outcome/match.js';
import { type OutcomeRow, type Reconciled, reconcile } from './outcome/reconcile.js';
import { precisionRefusal, reportProblem } from './outcome/report.js';
import { briefOutcomeMessage, outcomeMessage } from './outcome/view.js';

/** A valid report about an authorization of this tenant. */
interface Accepted {
  report: OutcomeReport;
  record: MatchedAuthorization;
}
/** A report that was applied to the outcome of its authorization. */
type Recorded = Reconciled & Pick<Accepted, 'record'>;
type Result = { refusal: RecordedOutcome } | { accepted: Accepted };

/** An attempt only fails if a concurrent writer succeeded, so few are needed. */
const attempts = 10;

/**
 * Records reports in one transaction, with a result for each; later reports of a batch see the
 * effects of earlier ones. The concurrency control is optimistic: on a conflict with another
 * writer the whole batch is read and tried again.
 */
export async function recordOutcomes(
  context: Context,
  { tenant, reports }: { tenant: Tenant; reports: readonly OutcomeReport[] },
  call: Call,
): Promise<RecordedOutcome[]> {
  const { pool } = context.stores[call.environment];
  const matches = await matchReports(pool, tenant, reports);
  const results = reports.map((report, index) => toResult(report, matches[index]));
  const limits = { deadlineAt: call.deadlineAt, statementTimeoutMs: readStatementTimeoutMs };
  const accepted = results.flatMap((result) => ('accepted' in result ? result.accepted : []));
  const reconciled = await retryRevisionConflicts(limits, () =>
    inTransaction(pool, (client) => append(client, accepted, { context, call })),
  );
  context.relays[call.environment].wake();
  const recorded = reconciled.values();
  const view = reports.length === 1 ? outcomeMessage : briefOutcomeMessage;
  return results.map((result) =>
    'refusal' in result ? result.refusal : toMessage(recorded.next().value, view),
  );
}

async function retryRevisionConflicts<T>(
  limits: AttemptLimits,
  work: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    try {
      return await retryContended(limits, work);
    } catch (error) {
      if (!(error instanceof RevisionConflict)) throw error;
    }
  }
  throw unavailable('too many conflicting reports for one authorization');
}

async function append(
  client: PoolClient,
  accepted: readonly Accepted[],
  { context, call }: { context: Context; call: Call },
): Promise<Recorded[]> {
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
  const newRevisions = reconciled.filter(({ isNew }) => isNew);
  await appendOutcomes(
    client,
    newRevisions.map(({ outcome }) => outcome),
  );
  await appendReferences(
    client,
    accepted.flatMap(({ report, record }) => newReferences(report, record)),
  );
  await addToOutbox(
    client,
    newRevisions.map((result) => recordedEvent(result, { call, now })),
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
  const refusal = precisionRefusal(report, record);
  return refusal ? { refusal } : { accepted: { report, record } };
}

function toMessage(
  result: Recorded | undefined,
  view: (row: OutcomeRow) => Outcome,
): RecordedOutcome {
  if (!result) throw new Error('fewer results than reports');
  const { status, outcome, record } = result;
  const paymentCurrency = record.rail === 'CRYPTO' ? undefined : record.currency;
  return { status, outcome: view(outcome), paymentCurrency };
}

function recordedEvent(
  { outcome, record, status }: Recorded,
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
