import type { BusEvent } from '@countersign/kernel/event';
import type { Logger } from '@countersign/runtime/log';
import type { Trace } from '@countersign/runtime/trace';
import type { LedgerClient } from '../clients.js';

const deadlineMs = 5_000;

/**
 * Tells the ledger what a resolution means for the scores of the agent. Telling twice is harmless:
 * the outcome has one id, and the ledger keeps one of its type for an authorization. When it comes
 * back as an event the case is resolved already, so nothing goes round.
 */
export function outcomeReporter({ ledger, log }: { ledger: LedgerClient; log: Logger }) {
  return async (heard: BusEvent, trace: Trace): Promise<void> => {
    const event = heard as BusEvent<'fraud.case_resolved'>;
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
    // Neither will become true by being said again; the resolution itself stands.
    if (status === 'not_found' || status === 'invalid') {
      log.error({ caseId, status }, 'the ledger refuses the outcome of a fraud case');
    }
  };
}
