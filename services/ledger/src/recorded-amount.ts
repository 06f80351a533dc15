import { currencyExponent } from '@countersign/kernel/currency';

/** As far as both the database's decimals and those of the kernel have it. */
interface Recorded {
  amount: { toFixed(decimals: number): string };
  currency: string;
  exponent: number;
}

/**
 * The decimals of what was paid. The exponent of a record is that of its counters, which are in the
 * currency of the mandate: it stands in only for a currency that has left the table since.
 */
export function currencyDecimals({ currency, exponent }: Omit<Recorded, 'amount'>): number {
  return currencyExponent(currency) ?? exponent;
}

/** An amount of a record, as its log entry and its events give it. */
export function recordedAmount(record: Recorded): string {
  return record.amount.toFixed(currencyDecimals(record));
}
