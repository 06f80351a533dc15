/** A value with its spread. */
export interface Spread {
  median: number;
  min: number;
  max: number;
}

export function spreadOf(values: readonly number[]): Spread {
  if (values.length === 0) throw new Error('nothing was measured');
  const sorted = [...values].sort((a, b) => a - b);
  const at = (index: number): number => sorted[index] ?? Number.NaN;
  const middle = (sorted.length - 1) / 2;
  const median = (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2;
  return { median, min: at(0), max: at(sorted.length - 1) };
}

/** For goals that no value may miss: the largest is compared with the goal. */
export function largestOf(values: readonly number[]): Spread {
  const { min, max } = spreadOf(values);
  return { median: max, min, max };
}

/** Ratios of pairs, because noise on the machine affects both values of a pair. */
export function ratioOf<T>(
  over: readonly T[],
  under: readonly T[],
  value: (each: T) => number,
): Spread {
  const pairs = over.flatMap((each, index) => {
    const other = under[index];
    return other === undefined ? [] : [value(each) / value(other)];
  });
  return spreadOf(pairs);
}
