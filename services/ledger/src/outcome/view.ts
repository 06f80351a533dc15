import { isoTime } from '@countersign/kernel/clock';
import { plainAmount } from '@countersign/kernel/money';
import type { Outcome } from '@countersign/proto/ledger';
import type { OutcomeRow } from './reconcile.js';

export function outcomeMessage(row: OutcomeRow): Outcome {
  const { evidence, notes, externalReferenceId, settledAmount, settledCurrency, settledAt } = row;
  return {
    id: row.id,
    authorizationId: row.authorizationId,
    principalId: row.principalId,
    outcomeType: row.outcomeType,
    reportedAt: isoTime(row.reportedAt.getTime()),
    reportedBy: row.reportedBy,
    ...(evidence !== null && { evidenceJson: evidence }),
    ...(notes !== null && { notes }),
    ...(externalReferenceId !== null && { externalReferenceId }),
    ...(settledAmount !== null && { settledAmount: plainAmount(settledAmount) }),
    ...(settledCurrency !== null && { settledCurrency }),
    ...(settledAt !== null && { settledAt: isoTime(settledAt.getTime()) }),
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
