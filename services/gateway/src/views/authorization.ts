import { recordedTransfer } from '@countersign/kernel/recorded-transfer';
import type { AuthorizationEntry, DecisionStep, StepUp } from '@countersign/proto/ledger';
import { parsedJson } from './json.js';
import { type Money, moneyNumber } from './money.js';

/** The log entry; alone it gives money as text, in lists as numbers. */
export function logEntryView<T>(entry: AuthorizationEntry, money: Money<T>) {
  return {
    id: entry.id,
    agent_id: entry.agentId ?? null,
    mandate_id: entry.mandateId ?? null,
    amount: money(entry.amount, entry.currency),
    currency: entry.currency,
    mcc: entry.mcc ?? null,
    merchant_id: entry.merchantId ?? null,
    country: entry.country ?? null,
    decision: entry.decision,
    reason_codes: entry.reasonCodes,
    kya_score: entry.kyaScore,
    trust_level: entry.trustLevel,
    processing_time_ms: entry.processingTimeMs,
    created_at: entry.createdAt,
    transaction_id: entry.transactionId,
    correlation_key: entry.correlationKey,
    rail: entry.rail,
    merchant_name: entry.merchantName ?? null,
    client_reference: entry.clientReference ?? null,
    network_rrn: entry.networkRrn ?? null,
    network_stan: entry.networkStan ?? null,
    auth_code: entry.authCode ?? null,
    network_reference: entry.networkReference ?? null,
    tx_hash: entry.txHash ?? null,
    chain_id: entry.chainId ? Number(entry.chainId) : null,
    risk_score: entry.riskScore,
    vi_verified: entry.viVerified,
    decision_history: entry.decisionHistory.map(decisionStepView),
    step_up: stepUpView(entry.stepUp),
    reversed_amount: money(entry.reversedAmount || '0', entry.currency),
    mandate_hash: entry.mandateHash ?? null,
    attestation: parsedJson<unknown>(entry.attestationJson, null),
  };
}

/** The on-chain transfer of a payment by crypto; null for any other. */
export function transferView(factsJson: string) {
  const transfer = recordedTransfer(factsJson);
  if (!transfer) return null;
  const { chain, asset, counterparty, fromAddress, value, operation } = transfer;
  return { chain, asset, counterparty, from_address: fromAddress, value, operation };
}

/** An item of the list of pending challenges. */
export function pendingStepUpView(entry: AuthorizationEntry) {
  return {
    authorization_id: entry.id,
    agent_id: entry.agentId ?? null,
    amount: moneyNumber(entry.amount, entry.currency),
    currency: entry.currency,
    merchant_name: entry.merchantName ?? null,
    reason_codes: entry.reasonCodes,
    expires_at: entry.stepUp?.expiresAt ?? null,
    created_at: entry.createdAt,
  };
}

function decisionStepView(step: DecisionStep) {
  return { decision: step.decision, at: step.at, by: step.by, reason_codes: step.reasonCodes };
}

function stepUpView(stepUp: StepUp | undefined | null) {
  if (!stepUp) return null;
  return {
    status: stepUp.status,
    expires_at: stepUp.expiresAt,
    resolved_at: stepUp.resolvedAt ?? null,
    resolved_by: stepUp.resolvedBy ?? null,
    reason: stepUp.reason ?? null,
  };
}
