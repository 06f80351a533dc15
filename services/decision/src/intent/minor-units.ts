import { currencyExponent } from '@countersign/kernel/currency';

const plain = /^(\d{1,16})(?:\.(\d{1,32}))?$/;

/** A decimal amount in whole minor units; null where it is none, or more than can be counted. */
export function minorUnits(amount: string, currency: string): number | null {
  const exponent = currencyExponent(currency);
  const [, whole = '', decimals = ''] = plain.exec(amount) ?? [];
  const fraction = decimals.replace(/0+$/, '');
  if (exponent === undefined || whole === '' || fraction.length > exponent) return null;
  const minor = Number(`${whole}${fraction.padEnd(exponent, '0')}`);
  return Number.isSafeInteger(minor) ? minor : null;
}
