import type { Outcome } from '@countersign/proto/ledger';
import { parsedJson } from './json.js';
import { type Money, optionalMoney } from './money.js';

/** An amount without a currency of its own is in the payment's, where that is given. */
export function outcomeView<T>(outcome: Outcome, money: Money<T>, paymentCurrency?: string) {
  const currency = outcome.settledCurrency ?? paymentCurrency ?? null;
  return {
    id: outcome.id,
    authorization_id: outcome.authorizationId,
    tenant_id: outcome.principalId,
    outcome_type: outcome.outcomeType,
    reported_at: outcome.reportedAt,
    reported_by: outcome.reportedBy,
    evidence: parsedJson(outcome.evidenceJson, {}),
    notes: outcome.notes ?? null,
    external_reference_id: outcome.externalReferenceId ?? null,
    settled_amount: optionalMoney(money, outcome.settledAmount, currency),
    settled_currency: outcome.settledCurrency ?? null,
    settled_at: outcome.settledAt ?? null,
    created_at: outcome.createdAt,
  };
}
