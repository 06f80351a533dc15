import { newId } from '@countersign/kernel/id';
import type { OutcomeReportInput } from '@countersign/proto/ledger';
import type { ReportOutcomeBody } from '../schemas/outcome.js';
import { jsonText } from './json-text.js';

export function outcomeMessage(body: ReportOutcomeBody): OutcomeReportInput {
  return {
    outcomeId: newId('outcome'),
    authorizationId: body.authorization_id,
    networkRrn: body.network_rrn,
    txHash: body.tx_hash,
    clientReference: body.client_reference,
    outcomeType: body.outcome_type,
    reportedAt: body.reported_at,
    reportedBy: body.reported_by,
    settledAmount: body.settled_amount,
    settledCurrency: body.settled_currency,
    settledAt: body.settled_at,
    evidenceJson: jsonText(body.evidence),
    notes: body.notes,
    externalReferenceId: body.external_reference_id,
    networkStan: body.network_stan,
    authCode: body.auth_code,
    networkReference: body.network_reference,
    chainId: body.chain_id?.toString(),
  };
}
