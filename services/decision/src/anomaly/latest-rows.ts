/** Where every row has its time and its name. */
const timeColumn = 0;
const nameColumn = 1;
const least = 8;
const growth = 1.25;
/** Of all that hold nothing yet: most agents are never refused, and many pay but once. */
const nothing = new Uint32Array(0);

/**
 * The latest rows of words of 32 bits, up to a bound, in order of time and then of name: whatever
 * the order in which they come, the same are kept. One array holds them all, since there are very
 * many.
 */
export class LatestRows {
  readonly #width: number;
  readonly #most: number;
  #values = nothing;
  #count = 0;

  constructor(width: number, most: number) {
    this.#width = width;
    this.#most = most;
  }

  get count(): number {
    return this.#count;
  }

  /** What they take of memory, with the room for some more. */
  get bytes(): number {
    return this.#values.byteLength;
  }

  /** Rows one after another, oldest first; there is room behind the last. */
  get values(): Uint32Array {
    return this.#values;
  }

  /** A row of the same name is replaced. */
  put(row: readonly number[]): void {
    this.remove(row[nameColumn] ?? 0);
    const place = this.#placeOf(row);
    if (this.#count === this.#most) {
      if (place === 0) return;
      this.#close(0);
      this.#open(place - 1, row);
      return;
    }
    this.#grow();
    this.#open(place, row);
  }

  remove(name: number): void {
    for (let at = this.#count - 1; at >= 0; at -= 1) {
      if (this.#values[at * this.#width + nameColumn] === name) this.#close(at);
    }
  }

  /** Before how many it does not come. */
  #placeOf(row: readonly number[]): number {
    let place = this.#count;
    while (place > 0 && this.#isAfter(place - 1, row)) place -= 1;
    return place;
  }

  #isAfter(at: number, row: readonly number[]): boolean {
    const from = at * this.#width;
    const time = (this.#values[from + timeColumn] ?? 0) - (row[timeColumn] ?? 0);
    const name = (this.#values[from + nameColumn] ?? 0) - (row[nameColumn] ?? 0);
    return time > 0 || (time === 0 && name > 0);
  }

  #open(place: number, row: readonly number[]): void {
    const from = place * this.#width;
    this.#values.copyWithin(from + this.#width, from, this.#count * this.#width);
    this.#values.set(row, from);
    this.#count += 1;
  }

  #close(place: number): void {
    const from = place * this.#width;
    this.#values.copyWithin(from, from + this.#width, this.#count * this.#width);
    this.#count -= 1;
  }

  #grow(): void {
    if ((this.#count + 1) * this.#width <= this.#values.length) return;
    const room = Math.min(this.#most, Math.max(least, Math.ceil(this.#count * growth)));
    const larger = new Uint32Array(room * this.#width);
    larger.set(this.#values);
    this.#values = larger;
  }
}
