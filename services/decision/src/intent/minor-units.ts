import { currencyExponent } from '@countersign/kernel/currency';

const plain = /^(\d{1,16})(?:\.(\d{1,32}))?$/;

/** Null if the amount is not a whole number of minor units, or exceeds a safe integer. */
export function minorUnits(amount: string, currency: string): number | null {
  const exponent = currencyExponent(currency);
  const [, whole = '', decimals = ''] = plain.exec(amount) ?? [];
  const fraction = decimals.replace(/0+$/, '');
  if (exponent === undefined || whole === '' || fraction.length > exponent) return null;
  const minor = Number(`${whole}${fraction.padEnd(exponent, '0')}`);
  return Number.isSafeInteger(minor) ? minor : null;
}
