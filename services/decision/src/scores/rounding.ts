/**
 * Half-even to four decimals, the precision of all scores. Binary noise beyond twelve digits is
 * ignored: 0.64875 computed as 0.6487499999999999 is a tie, as in decimal arithmetic.
 */
export function roundScore(value: number): number {
  const scaled = Number((value * 10_000).toPrecision(12));
  const below = Math.floor(scaled);
  const rest = scaled - below;
  const up = rest > 0.5 || (rest === 0.5 && below % 2 === 1);
  return (up ? below + 1 : below) / 10_000;
}

/** 1 − Π(1 − part): bounded, monotone, and independent of the order of its parts (all 0 to 1). */
export function noisyOr(parts: readonly number[]): number {
  return 1 - parts.reduce((rest, part) => rest * (1 - part), 1);
}

export function clampToOne(value: number): number {
  return Math.min(1, Math.max(0, value));
}
