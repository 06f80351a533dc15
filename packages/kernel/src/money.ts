import { Decimal as DecimalJs } from 'decimal.js';
import { currencyExponent } from './currency.js';

/**
 * Decimal arithmetic with enough precision for 10^15 major units and 18 decimals of a crypto asset.
 */
export const Decimal = DecimalJs.clone({ precision: 60, rounding: DecimalJs.ROUND_HALF_EVEN });
export type Decimal = DecimalJs;

/** Every amount is below this many major units. */
export const amountBound = new Decimal('1e15');

const plainDecimal = /^(0|[1-9]\d*)(?:\.(\d+))?$/;
const trailingZeros = /0+$/;
/** Maximum number of digits before the decimal point. */
const wholeDigits = 15;

/**
 * Why a text is not an amount of this currency, or null when it is one.
 * Amounts are > 0, < 10^15 and have at most the ISO 4217 exponent's decimals.
 */
export type AmountProblem = 'not_decimal' | 'not_positive' | 'too_large' | 'too_many_decimals';

export function amountProblem(text: string, maxDecimals: number): AmountProblem | null {
  if (text.length > 64) return 'not_decimal';
  const parts = plainDecimal.exec(text);
  if (!parts) return 'not_decimal';
  // Judged by its digits, because a plain decimal needs no arithmetic.
  const [, whole = '', fraction = ''] = parts;
  const decimals = fraction.replace(trailingZeros, '');
  if (whole === '0' && decimals === '') return 'not_positive';
  if (whole.length > wholeDigits) return 'too_large';
  if (decimals.length > maxDecimals) return 'too_many_decimals';
  return null;
}

/** What is said of a field with this problem where it is in a currency. */
export function tooManyDecimals(currency: string, decimals: number): string {
  return `has too many decimals: ${currency} has ${decimals}`;
}

/** Plain decimal with the exponent of the currency: `10` USD becomes `10.00`. */
export function formatAmount(amount: Decimal | string, currency: string): string {
  const exponent = currencyExponent(currency) ?? 2;
  return padded(amount, exponent) ?? new Decimal(amount).toFixed(exponent);
}

/**
 * Fast path: a plain decimal that needs no rounding is only padded with zeros; null for all others.
 */
function padded(amount: Decimal | string, exponent: number): string | null {
  if (typeof amount !== 'string') return null;
  const parts = plainDecimal.exec(amount);
  if (!parts) return null;
  const [, whole = '', fraction = ''] = parts;
  if (fraction.length > exponent) return null;
  return exponent === 0 ? whole : `${whole}.${fraction.padEnd(exponent, '0')}`;
}

/** The shortest plain notation, never with an exponent: `10.50` becomes `10.5`. */
export function plainAmount(amount: Decimal | string): string {
  if (typeof amount === 'string' && plainDecimal.test(amount)) {
    return amount.includes('.') ? amount.replace(trailingZeros, '').replace(/\.$/, '') : amount;
  }
  return new Decimal(amount).toFixed();
}
