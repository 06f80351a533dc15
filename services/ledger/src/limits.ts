/**
 * The limits that only the ledger can judge, because only its transaction sees the race, as the
 * database function `exceeded_limits` numbers them.
 */
const bits: ReadonlyArray<readonly [code: string, bit: number]> = [
  ['DAILY_AMOUNT_EXCEEDED', 1],
  ['MONTHLY_AMOUNT_EXCEEDED', 2],
  ['DAILY_COUNT_EXCEEDED', 4],
  ['MONTHLY_COUNT_EXCEEDED', 8],
];
const bitOfCode: ReadonlyMap<string, number> = new Map(bits);

/** The codes as one number; null where one of them is not a limit of the ledger's. */
export function limitMask(codes: readonly string[]): number | null {
  let mask = 0;
  for (const code of codes) {
    const bit = bitOfCode.get(code);
    if (bit === undefined) return null;
    mask |= bit;
  }
  return mask;
}

/** The codes of a number that the database gave, in published order. */
export function limitCodes(mask: number): string[] {
  return bits.filter(([, bit]) => (mask & bit) !== 0).map(([code]) => code);
}
