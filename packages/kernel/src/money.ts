import { Decimal as DecimalJs } from 'decimal.js';
import { currencyExponent } from './currency.js';

/** Decimal arithmetic with room for 10^15 major units and 18 decimals of a crypto asset. */
export const Decimal = DecimalJs.clone({ precision: 60, rounding: DecimalJs.ROUND_HALF_EVEN });
export type Decimal = DecimalJs;

/** Every amount is below this many major units. */
export const amountBound = new Decimal('1e15');

const plainDecimal = /^(0|[1-9]\d*)(\.\d+)?$/;

/**
 * Why a text is not an amount of this currency, or null when it is one.
 * Amounts are > 0, < 10^15 and have at most the ISO 4217 exponent's decimals.
 */
export type AmountProblem = 'not_decimal' | 'not_positive' | 'too_large' | 'too_many_decimals';

export function amountProblem(text: string, maxDecimals: number): AmountProblem | null {
  if (!plainDecimal.test(text) || text.length > 64) return 'not_decimal';
  const value = new Decimal(text);
  if (value.lte(0)) return 'not_positive';
  if (value.gte(amountBound)) return 'too_large';
  if (value.decimalPlaces() > maxDecimals) return 'too_many_decimals';
  return null;
}

/** Plain decimal with the exponent of the currency: `10` USD becomes `10.00`. */
export function formatAmount(amount: Decimal | string, currency: string): string {
  return new Decimal(amount).toFixed(currencyExponent(currency) ?? 2);
}

/** The shortest plain spelling, never with an exponent: `10.50` becomes `10.5`. */
export function plainAmount(amount: Decimal | string): string {
  return new Decimal(amount).toFixed();
}
