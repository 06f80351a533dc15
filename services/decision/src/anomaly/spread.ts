/** Where most values are, and how far from there. */
export interface Spread {
  median: number;
  /** Median of the distances from the median, made comparable with a standard deviation. */
  deviation: number;
}

const comparable = 1.4826;

/** What it is given is then something else. */
export function spreadOf(values: Float64Array): Spread {
  const median = medianOf(values);
  for (let at = 0; at < values.length; at += 1) {
    values[at] = Math.abs((values[at] ?? 0) - median);
  }
  return { median, deviation: comparable * medianOf(values) };
}

/** What it is given is then in another order: to find the middle costs less than to sort. */
export function medianOf(values: Float64Array): number {
  const half = Math.floor(values.length / 2);
  const upper = putInPlace(values, half);
  if (values.length % 2 === 1) return upper;
  let lower = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < half; at += 1) lower = Math.max(lower, values[at] ?? 0);
  return (upper + lower) / 2;
}

/** What would stand there if all were sorted; nothing before it is greater (quickselect). */
function putInPlace(values: Float64Array, place: number): number {
  let [from, to] = [0, values.length - 1];
  while (from < to) {
    const [low, high] = part(values, from, to);
    if (place <= high) to = high;
    else if (place >= low) from = low;
    else break;
  }
  return values[place] ?? 0;
}

/** Small ones to the front, great ones to the back: tells where these begin and those end. */
function part(values: Float64Array, from: number, to: number): [low: number, high: number] {
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

/** Of values that are never negative; what was not sent is. */
export class Sums {
  count = 0;
  #sum = 0;
  #squares = 0;

  add(value: number): void {
    this.count += 1;
    this.#sum += value;
    this.#squares += value * value;
  }

  /** How many standard deviations, of at least `floor`, a value is above the mean. */
  above(value: number, floor: number): number {
    const mean = this.#sum / this.count;
    const variance = Math.max(0, this.#squares / this.count - mean * mean);
    return (value - mean) / Math.max(floor, Math.sqrt(variance));
  }
}
