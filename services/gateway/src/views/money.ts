import { currencyExponent } from '@countersign/kernel/currency';
import { Decimal, formatAmount, plainAmount } from '@countersign/kernel/money';

/**
 * How the amounts of one view are given: as decimal text where a resource stands alone, as numbers
 * in lists and in `limits`. Every view that has both shapes takes one of these. Without a currency
 * the decimals are given as they are.
 */
export type Money<T> = (amount: string, currency: string | null) => T;

export const moneyText: Money<string> = (amount, currency) => {
  if (currency === null) return plainAmount(amount);
  const exact = new Decimal(amount);
  // What settled in units of an asset may have more decimals than the currency: a record is told
  // with all of them, never rounded.
  return exact.decimalPlaces() > (currencyExponent(currency) ?? 2)
    ? exact.toFixed()
    : formatAmount(amount, currency);
};

/** A JSON number: exact to the 15 significant digits that a reader's double holds anyway. */
export const moneyNumber: Money<number> = (amount) => new Decimal(amount).toNumber();

/** An amount of an asset, which has no exponent of a currency: its shortest plain spelling. */
export function assetText(amount: string | undefined): string | null {
  return amount === undefined ? null : plainAmount(amount);
}

/** Null where there is no amount. */
export function optionalMoney<T>(
  money: Money<T>,
  amount: string | undefined | null,
  currency: string | null,
): T | null {
  return amount === undefined || amount === null ? null : money(amount, currency);
}
