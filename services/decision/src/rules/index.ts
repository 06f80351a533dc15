import { activeMandate } from './active-mandate.js';
import { agentStatus } from './agent-status.js';
import { asset } from './asset.js';
import { capability } from './capability.js';
import { chain } from './chain.js';
import { counterparty } from './counterparty.js';
import { country } from './country.js';
import { fraudSuspected } from './fraud-suspected.js';
import { intentAnomaly } from './intent-anomaly.js';
import { kyaScoreRule } from './kya-score.js';
import { mandateCurrency } from './mandate-currency.js';
import { mcc } from './mcc.js';
import { merchant } from './merchant.js';
import { newMerchant } from './new-merchant.js';
import { perTransaction } from './per-transaction.js';
import { principalProhibited } from './principal-prohibited.js';
import { principalVerified } from './principal-verified.js';
import { programActive } from './program-active.js';
import { riskScoreRule } from './risk-score.js';
import type { Rule } from './rule.js';
import { stepUpAmount } from './step-up-amount.js';
import { velocityBurst } from './velocity-burst.js';
import { verifiableIntent } from './verifiable-intent.js';
import { windowLimits } from './window-limits.js';

/** Must change whenever a rule evaluates the same facts differently. */
export const ruleSet = 'rules-4';

/**
 * All rules, in the order in which their codes are published. The order in an answer is part of the
 * contract. All rules are always evaluated, so that a caller learns of every problem at once.
 */
export const rules: readonly Rule[] = [
  agentStatus,
  principalVerified,
  principalProhibited,
  programActive,
  capability,
  verifiableIntent,
  activeMandate,
  mandateCurrency,
  mcc,
  country,
  merchant,
  chain,
  asset,
  counterparty,
  perTransaction,
  windowLimits,
  kyaScoreRule,
  riskScoreRule,
  velocityBurst,
  intentAnomaly,
  stepUpAmount,
  newMerchant,
  fraudSuspected,
];
