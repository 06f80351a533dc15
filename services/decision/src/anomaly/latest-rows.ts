import { blockRows, type RowSpace } from './row-space.js';

/** Where every row has its time and its name. */
const timeColumn = 0;
const nameColumn = 1;
/** Of all that hold nothing yet: most agents are never refused, and many pay but once. */
const nothing: number[] = [];

/**
 * The latest rows of words of 32 bits, up to a bound, in order of time and then of name: whatever
 * the order in which they come, the same are kept.
 */
export class LatestRows {
  readonly #space: RowSpace;
  readonly #most: number;
  #blocks = nothing;
  /** Where in the first block the oldest is: what was before it has been pushed out. */
  #first = 0;
  #count = 0;

  constructor(space: RowSpace, most: number) {
    this.#space = space;
    this.#most = most;
  }

  get count(): number {
    return this.#count;
  }

  /** What they take of memory, with the room for some more. */
  get bytes(): number {
    return this.#blocks.length * this.#space.blockBytes;
  }

  /** The words among which a row is, counted from the oldest, and where among them it begins. */
  wordsAt(at: number): Uint32Array {
    return this.#space.wordsOf(this.#blocks, this.#first + at);
  }

  placeAt(at: number): number {
    return this.#space.placeOf(this.#blocks, this.#first + at);
  }

  word(at: number, column: number): number {
    return this.wordsAt(at)[this.placeAt(at) + column] ?? 0;
  }

  row(at: number): Uint32Array {
    const begin = this.placeAt(at);
    return this.wordsAt(at).subarray(begin, begin + this.#space.width);
  }

  /** A row of the same name is replaced. */
  put(row: readonly number[]): void {
    this.remove(row[nameColumn] ?? 0);
    let place = this.#placeFor(row);
    if (this.#count === this.#most) {
      if (place === 0) return;
      this.#close(0);
      place -= 1;
    }
    this.#open(place, row);
  }

  remove(name: number): void {
    for (let at = this.#count - 1; at >= 0; at -= 1) {
      if (this.word(at, nameColumn) === name) this.#close(at);
    }
  }

  /** Before how many it does not come. */
  #placeFor(row: readonly number[]): number {
    let place = this.#count;
    while (place > 0 && this.#isAfter(place - 1, row)) place -= 1;
    return place;
  }

  #isAfter(at: number, row: readonly number[]): boolean {
    const time = this.word(at, timeColumn) - (row[timeColumn] ?? 0);
    const name = this.word(at, nameColumn) - (row[nameColumn] ?? 0);
    return time > 0 || (time === 0 && name > 0);
  }

  #open(place: number, row: readonly number[]): void {
    this.#grow();
    for (let at = this.#count; at > place; at -= 1) this.#copy(at - 1, at);
    this.wordsAt(place).set(row, this.placeAt(place));
    this.#count += 1;
  }

  #close(place: number): void {
    this.#count -= 1;
    if (place === 0) this.#pushOut();
    else for (let at = place; at < this.#count; at += 1) this.#copy(at + 1, at);
  }

  /** The usual way to go: nothing moves, and the first block becomes the last once it is empty. */
  #pushOut(): void {
    this.#first += 1;
    if (this.#first < blockRows) return;
    this.#first = 0;
    const emptied = this.#blocks.shift();
    if (emptied !== undefined) this.#blocks.push(emptied);
  }

  #copy(from: number, to: number): void {
    this.wordsAt(to).set(this.row(from), this.placeAt(to));
  }

  #grow(): void {
    if (this.#first + this.#count < this.#blocks.length * blockRows) return;
    if (this.#blocks === nothing) this.#blocks = this.#space.listFor(this);
    this.#blocks.push(this.#space.take());
  }
}
