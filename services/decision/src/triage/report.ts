import type { BusEvent } from '@countersign/kernel/event';
import type { Logger } from '@countersign/runtime/log';
import type { Trace } from '@countersign/runtime/trace';
import type { LedgerClient } from '../clients.js';

const deadlineMs = 5_000;

/**
 * Reports the outcome of a resolution to the ledger, for the scores of the agent. Idempotent: the
 * outcome has a fixed id, and the ledger keeps one of each type per authorization. The resulting
 * event finds the case already resolved, so there is no loop.
 */
export function outcomeReporter({ ledger, log }: { ledger: LedgerClient; log: Logger }) {
  return async (received: BusEvent, trace: Trace): Promise<void> => {
    const event = received as BusEvent<'fraud.case_resolved'>;
    const { environment, principalId, clientId, requestId, occurredAt, data } = event;
    const { caseId, authorizationId, outcome, resolvedBy } = data;
    if (outcome === null || principalId === null || clientId === null) return;
    const report = {
      outcomeId: outcome.id,
      authorizationId,
      outcomeType: outcome.type,
      reportedAt: occurredAt,
      reportedBy: 'INTERNAL',
      notes: `Case ${caseId} was resolved by ${resolvedBy}.`,
    };
    const { results } = await ledger.call.RecordOutcomes(
      { tenant: { clientId, principalId }, reports: [report] },
      { environment, requestId: requestId ?? event.id, deadlineMs, trace },
    );
    const status = results[0]?.status;
    // Not retried, since the answer would be the same; the resolution itself remains.
    if (status === 'not_found' || status === 'invalid') {
      log.error({ caseId, status }, 'the ledger refused the outcome of a fraud case');
    }
  };
}
