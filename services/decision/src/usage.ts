import { answerMarkers } from '@countersign/kernel/answer-marker';
import { Decimal, formatAmount } from '@countersign/kernel/money';
import type { Usage } from '@countersign/proto/ledger';
import type { MandateFacts, UsageFacts } from './facts/shape.js';

/** What the ledger tells of a mandate's usage, as it is recorded. */
export function usageFacts(usage: Usage): UsageFacts {
  const { day, month, dailyAmount, monthlyAmount, dailyCount, monthlyCount } = usage;
  return { day, month, dailyAmount, monthlyAmount, dailyCount, monthlyCount };
}

/** Replaces the markers for remaining amounts, as the ledger does for a recorded decision. */
export function withRemaining(text: string, mandate: MandateFacts, usage: UsageFacts): string {
  const left = (limit: string | null, used: string): string =>
    formatAmount(Decimal.max(0, new Decimal(limit ?? '0').sub(used)), mandate.currency);
  return text
    .replaceAll(answerMarkers.dailyAmountRemaining, left(mandate.maxDailyAmount, usage.dailyAmount))
    .replaceAll(
      answerMarkers.monthlyAmountRemaining,
      left(mandate.maxMonthlyAmount, usage.monthlyAmount),
    );
}
