/** Robust location and scale: single outliers in the history do not move them. */
export interface Spread {
  median: number;
  /** Median absolute deviation (MAD), scaled to estimate a standard deviation. */
  deviation: number;
}

/** Ratio of standard deviation to MAD in a normal distribution. */
const madScale = 1.4826;

/** Overwrites `values`. */
export function spreadOf(values: Float64Array): Spread {
  const median = medianOf(values);
  for (let at = 0; at < values.length; at += 1) {
    values[at] = Math.abs((values[at] ?? 0) - median);
  }
  return { median, deviation: madScale * medianOf(values) };
}

/** Reorders `values`: selecting the middle element is cheaper than sorting all of them. */
export function medianOf(values: Float64Array): number {
  const half = Math.floor(values.length / 2);
  const upper = select(values, half);
  if (values.length % 2 === 1) return upper;
  let lower = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < half; at += 1) lower = Math.max(lower, values[at] ?? 0);
  return (upper + lower) / 2;
}

/** Quickselect: the element at `place` in sorted order; nothing left before it is greater. */
function select(values: Float64Array, place: number): number {
  let [from, to] = [0, values.length - 1];
  while (from < to) {
    const [low, high] = partition(values, from, to);
    if (place <= high) to = high;
    else if (place >= low) from = low;
    else break;
  }
  return values[place] ?? 0;
}

/** Hoare partition: the upper part begins at `low`, the lower part ends at `high`. */
function partition(values: Float64Array, from: number, to: number): [low: number, high: number] {
  const pivot = values[(from + to) >>> 1] ?? 0;
  let [low, high] = [from, to];
  while (low <= high) {
    while ((values[low] ?? 0) < pivot) low += 1;
    while ((values[high] ?? 0) > pivot) high -= 1;
    if (low > high) break;
    const other = values[low] ?? 0;
    values[low] = values[high] ?? 0;
    values[high] = other;
    low += 1;
    high -= 1;
  }
  return [low, high];
}

/** Running mean and variance, so that a history need not be kept as an array. */
export class Sums {
  count = 0;
  #sum = 0;
  #squares = 0;

  add(value: number): void {
    this.count += 1;
    this.#sum += value;
    this.#squares += value * value;
  }

  /** Z-score of a value; `floor` is the smallest standard deviation it is computed with. */
  zScore(value: number, floor: number): number {
    const mean = this.#sum / this.count;
    const variance = Math.max(0, this.#squares / this.count - mean * mean);
    return (value - mean) / Math.max(floor, Math.sqrt(variance));
  }
}
