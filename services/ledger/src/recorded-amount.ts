import { currencyExponent } from '@countersign/kernel/currency';

/** `amount` may be a Decimal of Prisma or of the kernel. */
interface Recorded {
  amount: { toFixed(decimals: number): string };
  currency: string;
  exponent: number;
}

/**
 * The decimals of the payment's currency. The exponent of a record belongs to its counters, which
 * are in the mandate's currency; it is only a fallback for currencies that were since removed from
 * the currency table.
 */
export function currencyDecimals({ currency, exponent }: Omit<Recorded, 'amount'>): number {
  return currencyExponent(currency) ?? exponent;
}

/** The amount of a record, formatted for its log entry and its events. */
export function recordedAmount(record: Recorded): string {
  return record.amount.toFixed(currencyDecimals(record));
}
