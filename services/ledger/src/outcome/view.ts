import { isoTime } from '@countersign/kernel/clock';
import { plainAmount } from '@countersign/kernel/money';
import type { Outcome } from '@countersign/proto/ledger';
import type { OutcomeRow } from './reconcile.js';

export function outcomeMessage(row: OutcomeRow): Outcome {
  const { settledAmount, settledAt } = row;
  return {
    id: row.id,
    authorizationId: row.authorizationId,
    principalId: row.principalId,
    outcomeType: row.outcomeType,
    reportedAt: isoTime(row.reportedAt.getTime()),
    reportedBy: row.reportedBy,
    evidenceJson: row.evidence ?? undefined,
    notes: row.notes ?? undefined,
    externalReferenceId: row.externalReferenceId ?? undefined,
    settledAmount: settledAmount === null ? undefined : plainAmount(settledAmount),
    settledCurrency: row.settledCurrency ?? undefined,
    settledAt: settledAt?.toISOString(),
    createdAt: isoTime(row.createdAt.getTime()),
  };
}

/**
 * Without its free texts, which together may be more than a client receives in one message: in the
 * answer to a batch, whose reports may all be about outcomes that were recorded earlier.
 */
export function briefOutcomeMessage(row: OutcomeRow): Outcome {
  return outcomeMessage({ ...row, evidence: null, notes: null });
}
