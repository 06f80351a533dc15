import { currencyExponent } from '@countersign/kernel/currency';

const plain = /^(-?\d+)(?:\.(\d+))?$/;

/**
 * An amount with the decimals of its currency: lists have `10.5` where a record has `10.50`. Only
 * zeros are added; additional decimals are kept, and anything that is not a plain decimal is
 * returned as it is.
 */
export function amountText(amount: string, currency: string): string {
  const parts = plain.exec(amount);
  if (!parts) return amount;
  const [, whole = '', fraction = ''] = parts;
  const decimals = fraction.padEnd(currencyExponent(currency) ?? 0, '0');
  return decimals === '' ? whole : `${whole}.${decimals}`;
}

/** Whether two notations mean the same amount: `10.5` and `10.50`. */
export function sameAmount(a: string, b: string): boolean {
  return shortestAmount(a) === shortestAmount(b);
}

/** Compared digit by digit; false of anything that is not a plain decimal. */
export function isLess(a: string, b: string): boolean {
  const [one, other] = [plain.exec(a), plain.exec(b)];
  if (!one || !other) return false;
  const decimals = Math.max(one[2]?.length ?? 0, other[2]?.length ?? 0);
  const unitsOf = ([, whole = '', fraction = '']: RegExpExecArray) =>
    BigInt(whole + fraction.padEnd(decimals, '0'));
  return unitsOf(one) < unitsOf(other);
}

/** Without insignificant zeros: `10.50` becomes `10.5`. */
export function shortestAmount(amount: string): string {
  const parts = plain.exec(amount);
  if (!parts) return amount;
  const [, whole = '', fraction = ''] = parts;
  const decimals = fraction.replace(/0+$/, '');
  return decimals === '' ? whole : `${whole}.${decimals}`;
}

/**
 * A rate, truncated after four decimals: rounded, it could seem to reach a bound that it is below.
 */
export function rateText(rate: string): string {
  return rate.replace(/(\.\d{4})\d+$/, '$1…');
}

/** The used fraction, from 0 to 1, for a bar; null without a limit. */
export function shareOf(used: string, limit: string): number | null {
  const whole = Number(limit);
  return whole > 0 ? Math.min(1, Number(used) / whole) : null;
}
