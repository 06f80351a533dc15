import { blockRows, type RowSpace } from './row-space.js';

/** Columns that every row has. */
const timeColumn = 0;
const nameColumn = 1;
/** Shared by all empty lists: most agents are never declined, and many pay only once. */
const nothing: number[] = [];

/**
 * The latest rows up to a maximum, ordered by time and then by name, so that the same rows are kept
 * in whatever order they arrive.
 */
export class LatestRows {
  readonly #space: RowSpace;
  readonly #most: number;
  #blocks = nothing;
  /** Index of the oldest row in the first block; the rows before it have been dropped. */
  #first = 0;
  #count = 0;

  constructor(space: RowSpace, most: number) {
    this.#space = space;
    this.#most = most;
  }

  get count(): number {
    return this.#count;
  }

  /** Allocated memory, including unused rows of the last block. */
  get bytes(): number {
    return this.#blocks.length * this.#space.blockBytes;
  }

  /** The slab that contains a row, counted from the oldest; see `placeAt` for its index there. */
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

  /** Replaces a row of the same name. */
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

  /** How many rows precede it. */
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

  /** Drops the oldest row without moving others; a block that is empty then becomes the last. */
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
