import type { OutcomeReport } from '@countersign/proto/ledger';
import { isSettlement } from './report.js';

/** The latest revision of an outcome; `createdAt` is that of the first. */
export interface OutcomeRow {
  id: string;
  revision: number;
  authorizationId: string;
  principalId: string;
  outcomeType: string;
  reportedAt: Date;
  reportedBy: string;
  evidence: string | null;
  notes: string | null;
  externalReferenceId: string | null;
  settledAmount: string | null;
  settledCurrency: string | null;
  settledAt: Date | null;
  createdAt: Date;
}

export interface Reconciled {
  status: 'created' | 'updated' | 'duplicate';
  /** The outcome after this report. */
  outcome: OutcomeRow;
  /** Whether the outcome is a new revision, which must be appended. */
  isNew: boolean;
}

/**
 * Applies a report to the outcome of its authorization and type. Each is recorded once; for
 * settlements the latest event wins, in whatever order the reports arrive.
 */
export function reconcile(
  existing: OutcomeRow | undefined,
  report: OutcomeReport,
  of: { authorizationId: string; principalId: string; now: number },
): Reconciled {
  if (!existing) {
    const createdAt = new Date(of.now);
    const first = { ...of, id: report.outcomeId, revision: 1, createdAt };
    return { status: 'created', outcome: reportedRow(report, first), isNew: true };
  }
  if (isLaterSettlement(existing, report)) {
    const { id, createdAt, revision } = existing;
    const next = { ...of, id, createdAt, revision: revision + 1 };
    return { status: 'updated', outcome: reportedRow(report, next), isNew: true };
  }
  // A report that the transport sent again gets the same response as the first time.
  const resent = existing.id === report.outcomeId && existing.revision === 1;
  return { status: resent ? 'created' : 'duplicate', outcome: existing, isNew: false };
}

function isLaterSettlement(existing: OutcomeRow, report: OutcomeReport): boolean {
  if (!isSettlement(report.outcomeType) || report.settledAt === undefined) return false;
  return existing.settledAt === null || Date.parse(report.settledAt) > existing.settledAt.getTime();
}

type RowIdentity = Pick<
  OutcomeRow,
  'id' | 'revision' | 'authorizationId' | 'principalId' | 'createdAt'
>;

function reportedRow(report: OutcomeReport, identity: RowIdentity): OutcomeRow {
  return {
    id: identity.id,
    revision: identity.revision,
    authorizationId: identity.authorizationId,
    principalId: identity.principalId,
    createdAt: identity.createdAt,
    outcomeType: report.outcomeType,
    reportedAt: new Date(report.reportedAt),
    reportedBy: report.reportedBy,
    evidence: report.evidenceJson ?? null,
    notes: report.notes ?? null,
    externalReferenceId: report.externalReferenceId ?? null,
    settledAmount: report.settledAmount ?? null,
    settledCurrency: report.settledCurrency ?? null,
    settledAt: report.settledAt === undefined ? null : new Date(report.settledAt),
  };
}
