import { Decimal } from '@countersign/kernel/money';
import type { CryptoTerms, Mandate } from '@countersign/proto/identity';
import type { Usage } from '@countersign/proto/ledger';
import { assetText, type Money, moneyNumber, moneyText, optionalMoney } from './money.js';

export function onboardingMandateView(mandate: Mandate) {
  const { currency } = mandate;
  return {
    id: mandate.id,
    agent_id: mandate.agentId,
    program_id: mandate.programId ?? null,
    status: mandate.status,
    rails: mandate.rails,
    limits: {
      max_amount_per_transaction: moneyNumber(mandate.maxAmountPerTransaction, currency),
      max_daily_amount: optionalMoney(moneyNumber, mandate.maxDailyAmount, currency),
      max_monthly_amount: optionalMoney(moneyNumber, mandate.maxMonthlyAmount, currency),
      currency,
    },
    currency,
    ...terms(mandate),
  };
}

/** The runtime shape; lists of mandates give the amounts as numbers. */
export function runtimeMandateView<T>(mandate: Mandate, money: Money<T>) {
  const { currency } = mandate;
  return {
    id: mandate.id,
    agent_id: mandate.agentId,
    principal_id: mandate.principalId,
    status: mandate.status,
    max_amount_per_transaction: money(mandate.maxAmountPerTransaction, currency),
    max_daily_amount: optionalMoney(money, mandate.maxDailyAmount, currency),
    max_monthly_amount: optionalMoney(money, mandate.maxMonthlyAmount, currency),
    currency,
    ...terms(mandate),
  };
}

function terms(mandate: Mandate) {
  return {
    allowed_mccs: mandate.allowedMccs,
    blocked_mccs: mandate.blockedMccs,
    allowed_countries: mandate.allowedCountries,
    blocked_countries: mandate.blockedCountries,
    allowed_merchants: mandate.allowedMerchants,
    blocked_merchants: mandate.blockedMerchants,
    max_daily_count: mandate.maxDailyCount ?? null,
    max_monthly_count: mandate.maxMonthlyCount ?? null,
    allowed_chains: mandate.allowedChains,
    allowed_assets: mandate.allowedAssets,
    allowed_counterparties: mandate.allowedCounterparties,
    crypto: cryptoView(mandate.crypto),
    valid_from: mandate.validFrom,
    valid_until: mandate.validUntil,
    created_at: mandate.createdAt,
    mandate_hash: mandate.mandateHash,
  };
}

function cryptoView(crypto: CryptoTerms | undefined | null) {
  if (!crypto) return null;
  return {
    chains: crypto.chains,
    assets: crypto.assets,
    max_transfer: assetText(crypto.maxTransfer),
  };
}

type WindowUsage = Omit<Usage, 'challengesFull' | 'transactionUnknown'>;

/** What of a mandate's limits is used in the day and month of now. */
export function budgetView(mandate: Mandate, usage: WindowUsage) {
  return {
    mandate_id: mandate.id,
    currency: mandate.currency,
    day: budgetWindow(mandate.currency, {
      date: usage.day,
      amountLimit: mandate.maxDailyAmount,
      amountUsed: usage.dailyAmount,
      countLimit: mandate.maxDailyCount,
      countUsed: usage.dailyCount,
    }),
    month: budgetWindow(mandate.currency, {
      date: usage.month,
      amountLimit: mandate.maxMonthlyAmount,
      amountUsed: usage.monthlyAmount,
      countLimit: mandate.maxMonthlyCount,
      countUsed: usage.monthlyCount,
    }),
  };
}

interface WindowUse {
  date: string;
  amountLimit: string | undefined;
  amountUsed: string;
  countLimit: number | undefined;
  countUsed: number;
}

function budgetWindow(currency: string, use: WindowUse) {
  const { amountLimit, amountUsed, countLimit, countUsed } = use;
  return {
    date: use.date,
    amount_limit: optionalMoney(moneyText, amountLimit, currency),
    amount_used: moneyText(amountUsed, currency),
    amount_remaining:
      amountLimit === undefined ? null : moneyText(remaining(amountLimit, amountUsed), currency),
    count_limit: countLimit ?? null,
    count_used: countUsed,
    count_remaining: countLimit === undefined ? null : Math.max(0, countLimit - countUsed),
  };
}

function remaining(limit: string, used: string): string {
  return Decimal.max(0, new Decimal(limit).minus(used)).toFixed();
}
