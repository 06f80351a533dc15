import { currencyExponent } from '@countersign/kernel/currency';

const plain = /^(-?\d+)(?:\.(\d+))?$/;

/**
 * An amount with the decimals of its currency: lists say `10.5` where a record says `10.50`. Only
 * zeros are added; what has more decimals keeps them, and what is not plain stays as it is.
 */
export function amountText(amount: string, currency: string): string {
  const parts = plain.exec(amount);
  if (!parts) return amount;
  const [, whole = '', fraction = ''] = parts;
  const decimals = fraction.padEnd(currencyExponent(currency) ?? 0, '0');
  return decimals === '' ? whole : `${whole}.${decimals}`;
}

/** Whether two spellings are one amount: `10.5` and `10.50`. */
export function sameAmount(a: string, b: string): boolean {
  return shortestAmount(a) === shortestAmount(b);
}

/** Without the zeros that say nothing: `10.50` is `10.5`. */
export function shortestAmount(amount: string): string {
  const parts = plain.exec(amount);
  if (!parts) return amount;
  const [, whole = '', fraction = ''] = parts;
  const decimals = fraction.replace(/0+$/, '');
  return decimals === '' ? whole : `${whole}.${decimals}`;
}

/** A rate, visibly cut after four decimals: rounded, it could seem to be at a bound it is below. */
export function rateText(rate: string): string {
  return rate.replace(/(\.\d{4})\d+$/, '$1…');
}

/** What of a whole is used, from 0 to 1, for a bar; null where there is no whole. */
export function shareOf(used: string, limit: string): number | null {
  const whole = Number(limit);
  return whole > 0 ? Math.min(1, Number(used) / whole) : null;
}
