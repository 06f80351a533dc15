import type { AnswerCounters } from '@countersign/kernel/answer';
import { Decimal, formatAmount } from '@countersign/kernel/money';
import type { DecisionWord } from '@countersign/kernel/vocabulary';
import type { Facts, MandateFacts, UsageFacts } from './facts/shape.js';

/**
 * The limits that the ledger would report, computed from a usage that was read without its lock:
 * good enough for a simulation, never for a decision.
 */
export function limitCodesFor(facts: Facts, mandate: MandateFacts, usage: UsageFacts): string[] {
  if (mandate.currency !== facts.payment.currency) return [];
  const { amount } = facts.payment;
  const overAmount = (used: string, limit: string | null): boolean =>
    limit !== null && new Decimal(used).add(amount).gt(limit);
  const overCount = (used: number, limit: number | null): boolean =>
    limit !== null && used + 1 > limit;
  const checks: Array<[code: string, exceeded: boolean]> = [
    ['DAILY_AMOUNT_EXCEEDED', overAmount(usage.dailyAmount, mandate.maxDailyAmount)],
    ['MONTHLY_AMOUNT_EXCEEDED', overAmount(usage.monthlyAmount, mandate.maxMonthlyAmount)],
    ['DAILY_COUNT_EXCEEDED', overCount(usage.dailyCount, mandate.maxDailyCount)],
    ['MONTHLY_COUNT_EXCEEDED', overCount(usage.monthlyCount, mandate.maxMonthlyCount)],
  ];
  return checks.filter(([, exceeded]) => exceeded).map(([code]) => code);
}

/** The counters after the simulated decision; only an approval changes them. */
export function countersAfter(
  facts: Facts,
  { mandate, usage, decision }: SimulatedState,
): AnswerCounters {
  const counts = decision === 'APPROVE';
  const used = (amount: string): string =>
    formatAmount(new Decimal(amount).add(counts ? facts.payment.amount : '0'), mandate.currency);
  const counted = (count: number): string => String(count + (counts ? 1 : 0));
  return {
    dailyAmountUsed: used(usage.dailyAmount),
    monthlyAmountUsed: used(usage.monthlyAmount),
    dailyCountUsed: counted(usage.dailyCount),
    monthlyCountUsed: counted(usage.monthlyCount),
  };
}

interface SimulatedState {
  mandate: MandateFacts;
  usage: UsageFacts;
  decision: DecisionWord;
}
