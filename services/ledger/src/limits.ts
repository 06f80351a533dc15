/**
 * The limits that only the ledger can enforce, since only its transaction serializes concurrent
 * payments. The bits are those of the database function `exceeded_limits`.
 */
const bits: ReadonlyArray<readonly [code: string, bit: number]> = [
  ['DAILY_AMOUNT_EXCEEDED', 1],
  ['MONTHLY_AMOUNT_EXCEEDED', 2],
  ['DAILY_COUNT_EXCEEDED', 4],
  ['MONTHLY_COUNT_EXCEEDED', 8],
];
const bitOfCode: ReadonlyMap<string, number> = new Map(bits);

/** The codes as a bit mask; null if one of them is not a limit that the ledger enforces. */
export function limitMask(codes: readonly string[]): number | null {
  let mask = 0;
  for (const code of codes) {
    const bit = bitOfCode.get(code);
    if (bit === undefined) return null;
    mask |= bit;
  }
  return mask;
}

/** The codes of a bit mask from the database, in the order of the public API. */
export function limitCodes(mask: number): string[] {
  return bits.filter(([, bit]) => (mask & bit) !== 0).map(([code]) => code);
}
