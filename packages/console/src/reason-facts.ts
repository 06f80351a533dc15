import { assetCurrency } from '@countersign/kernel/currency';
import { amountText, isLess } from './amount.js';
import type { Explanation } from './api/shapes.js';
import {
  type Kept,
  multiplierOf,
  type RecordedFacts,
  recordedFacts,
  recordedMandate,
} from './recorded-facts.js';

/** What a rule found and what it required: `FRA`, and `USA, DEU`. */
export interface ReasonFact {
  found: string;
  bound: string;
}

/** The recorded values behind a code; null for a code that needs none, or of a later release. */
export function reasonFact(
  code: string,
  explanation: Explanation,
  mandateId: string | null,
): ReasonFact | null {
  const read = facts[code];
  if (!read) return null;
  const recorded = recordedFacts(explanation);
  // If no mandate was used, the reasons refer to the newest.
  const mandate = recordedMandate(explanation, mandateId) ?? recorded.mandates[0] ?? {};
  const [found, bound] = read({ ...recorded, mandate });
  return { found: spelled(found), bound: spelled(bound) };
}

type Parts = RecordedFacts & { mandate: Kept };
type Fact = (parts: Parts) => readonly [found: unknown, bound: unknown];

const facts: Record<string, Fact> = {
  AGENT_SUSPENDED: ({ agent }) => [agent.status, 'ACTIVE'],
  AGENT_REVOKED: ({ agent }) => [agent.status, 'ACTIVE'],
  PRINCIPAL_NOT_VERIFIED: ({ principal }) => [principal.verification_status, 'VERIFIED'],
  PRINCIPAL_PROHIBITED: ({ principal }) => [principal.risk_tier, 'any other tier'],
  PROGRAM_SUSPENDED: ({ program }) => [program.status, 'ACTIVE'],
  CAPABILITY_NOT_GRANTED: ({ payment, agent }) => [payment.capability, agent.capabilities],
  MANDATE_EXPIRED: ({ decidedAt, mandate }) => [
    decidedAt,
    `before ${spelled(mandate.valid_until)}`,
  ],
  CURRENCY_MISMATCH: ({ payment, mandate }) => [payment.currency, mandate.currency],
  MCC_REQUIRED: ({ mandate }) => [null, mandate.allowed_mccs],
  MCC_NOT_ALLOWED: ({ payment, mandate }) => [payment.mcc, mandate.allowed_mccs],
  MCC_BLOCKED: ({ payment, mandate }) => [payment.mcc, not(mandate.blocked_mccs)],
  COUNTRY_REQUIRED: ({ mandate }) => [null, mandate.allowed_countries],
  COUNTRY_NOT_ALLOWED: ({ payment, mandate }) => [payment.country, mandate.allowed_countries],
  COUNTRY_BLOCKED: ({ payment, mandate }) => [payment.country, not(mandate.blocked_countries)],
  MERCHANT_ID_REQUIRED: ({ mandate }) => [null, mandate.allowed_merchants],
  MERCHANT_NOT_ALLOWED: ({ payment, mandate }) => [payment.merchant_id, mandate.allowed_merchants],
  MERCHANT_BLOCKED: ({ payment, mandate }) => [payment.merchant_id, not(mandate.blocked_merchants)],
  CHAIN_NOT_ALLOWED: ({ crypto, mandate }) => [crypto.chain, mandate.allowed_chains],
  ASSET_NOT_ALLOWED: ({ crypto, mandate }) => [crypto.asset, mandate.allowed_assets],
  COUNTERPARTY_NOT_ALLOWED: ({ crypto, mandate }) => [
    crypto.counterparty,
    mandate.allowed_counterparties,
  ],
  AMOUNT_EXCEEDS_PER_TXN: (parts) => [askedAtOnce(parts), paymentLimits(parts)],
  COGNITIVE_LIMIT_APPLIED: (parts) => [
    `zone ${spelled(parts.scores.zone)}`,
    `${spelled(multiplierOf(parts))} of the limit`,
  ],
  DAILY_AMOUNT_EXCEEDED: ({ payment, usage, mandate }) => [
    `${amountOf(payment)} on top of ${spelled(usage.daily_amount)}`,
    atMost(mandate.max_daily_amount),
  ],
  MONTHLY_AMOUNT_EXCEEDED: ({ payment, usage, mandate }) => [
    `${amountOf(payment)} on top of ${spelled(usage.monthly_amount)}`,
    atMost(mandate.max_monthly_amount),
  ],
  DAILY_COUNT_EXCEEDED: ({ usage, mandate }) => [
    `one more than ${spelled(usage.daily_count)}`,
    atMost(mandate.max_daily_count),
  ],
  MONTHLY_COUNT_EXCEEDED: ({ usage, mandate }) => [
    `one more than ${spelled(usage.monthly_count)}`,
    atMost(mandate.max_monthly_count),
  ],
  VELOCITY_BURST: ({ openChallengesFull, thresholds }) =>
    openChallengesFull
      ? ['as many open challenges as an agent may have', 'one fewer']
      : [
          `more within ${spelled(thresholds.velocity_burst_window_seconds)} s`,
          atMost(thresholds.velocity_burst_count),
        ],
  KYA_SCORE_BELOW_MINIMUM: ({ scores, thresholds }) => [
    scores.kya.score,
    atLeast(thresholds.authorize_min_kya_score),
  ],
  KYA_SCORE_STEP_UP: ({ scores, thresholds }) => [
    scores.kya.score,
    atLeast(thresholds.authorize_step_up_threshold),
  ],
  RISK_SCORE_HARD_DECLINE: ({ scores, thresholds }) => [
    scores.risk.score,
    below(thresholds.risk_score_hard_decline),
  ],
  RISK_SCORE_STEP_UP: ({ scores, thresholds }) => [
    scores.risk.score,
    below(thresholds.risk_score_step_up),
  ],
  INTENT_ANOMALY_DECLINE: ({ scores: { zone, anomaly }, thresholds }) =>
    zone === 'RED' || zone === 'CRITICAL'
      ? [`${spelled(anomaly.score)} in zone ${zone}`, below(thresholds.intent_anomaly_step_up)]
      : [anomaly.score, below(thresholds.intent_anomaly_decline)],
  INTENT_ANOMALY_STEP_UP: ({ scores, thresholds }) => [
    scores.anomaly.score,
    below(thresholds.intent_anomaly_step_up),
  ],
  AMOUNT_STEP_UP: ({ payment, thresholds: { step_up_amount_threshold: threshold } }) => {
    const isSimulated = !threshold || isLess(spelled(payment.amount), spelled(threshold));
    return [amountOf(payment), isSimulated ? 'no sandbox trigger' : below(threshold)];
  },
  NEW_MERCHANT_STEP_UP: ({ payment, thresholds }) => [
    amountOf(payment),
    below(thresholds.new_merchant_step_up_amount),
  ],
};

/**
 * In RED and CRITICAL only a fraction of each. A transfer on chain has one of its own besides; if
 * its asset counts as the currency, the amount is compared with the smaller of the two.
 */
function paymentLimits(parts: Parts): string[] {
  const { crypto, mandate } = parts;
  const factor = multiplierOf(parts);
  const part = (limit: unknown) =>
    atMost(factor === undefined ? limit : `${spelled(factor)} of ${spelled(limit)}`);
  const { max_transfer: most } = (mandate.crypto ?? {}) as { max_transfer?: string | null };
  const { max_amount_per_transaction: limit } = mandate;
  if (!most || !crypto.asset) return [part(limit)];
  if (isAmount(parts)) return [part(isLess(most, spelled(limit)) ? most : limit)];
  return [part(limit), `${part(most)} ${spelled(crypto.asset)} in a transfer`];
}

/** The amount, and what is transferred on chain where that is compared too. */
function askedAtOnce(parts: Parts): string {
  const { payment, crypto } = parts;
  const { asset, value } = crypto;
  if (!asset || isAmount(parts)) return amountOf(payment);
  return `${amountOf(payment)}, ${spelled(value)} ${spelled(asset)}`;
}

/** Whether what is transferred counts as an amount in the currency of the mandate. */
function isAmount({ crypto: { asset }, mandate }: Parts): boolean {
  return assetCurrency(spelled(asset)) === mandate.currency;
}

/** With the decimals of its currency, since it is recorded as it was sent. */
function amountOf({ amount, currency }: Parts['payment']): string {
  return amountText(spelled(amount), spelled(currency));
}

const not = (list: unknown) => `none of ${spelled(list)}`;
const atMost = (bound: unknown) => `at most ${spelled(bound)}`;
const atLeast = (bound: unknown) => `at least ${spelled(bound)}`;
const below = (bound: unknown) => `below ${spelled(bound)}`;

function spelled(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? '–' : value.map(String).join(', ');
  return value === undefined || value === null ? '–' : String(value);
}
