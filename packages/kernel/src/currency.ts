/**
 * ISO 4217, active national currencies and their minor-unit exponents. Kept as a table because
 * `Intl` differs from the standard for sixteen currencies, among them IQD, HUF, COP, IDR and PKR.
 */
const byExponent: ReadonlyArray<readonly [number, string]> = [
  [0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'],
  [
    2,
    `AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN
     BZD CAD CDF CHE CHF CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP
     GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP
     LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR
     NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN
     SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XCD XCG YER ZAR
     ZMW ZWG`,
  ],
  [3, 'BHD IQD JOD KWD LYD OMR TND'],
  [4, 'CLF UYW'],
];

/** Decimals of the currency that has the most. */
export const maxCurrencyDecimals = Math.max(...byExponent.map(([exponent]) => exponent));

/** Decimals of the asset that has the most: no currency has more. */
export const maxAssetDecimals = 18;

const exponents: ReadonlyMap<string, number> = new Map(
  byExponent.flatMap(([exponent, codes]) =>
    codes.split(/\s+/).map((code) => [code, exponent] as const),
  ),
);

/** Decimals of the minor unit, or undefined for a code that is not an active currency. */
export function currencyExponent(code: string): number | undefined {
  return exponents.get(code);
}

export function isCurrency(code: string): boolean {
  return exponents.has(code);
}

const usdc = /^usdc$/i;

/**
 * The currency of which each unit of an asset is worth one, by the symbol of the asset. Null for
 * any asset but USDC: its amounts are in no currency.
 */
export function assetCurrency(symbol: string): string | null {
  return usdc.test(symbol) ? 'USD' : null;
}

/**
 * Whether two symbols are of one asset. Only USDC may be in upper or lower case: others can differ
 * in that alone, as cUSD and CUSD do.
 */
export function isSameAsset(one: string, other: string): boolean {
  return one === other || (usdc.test(one) && usdc.test(other));
}
