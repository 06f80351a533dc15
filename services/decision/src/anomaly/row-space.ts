export const blockRows = 8;
const slabBlocks = 512;

/**
 * A slab allocator for rows of a fixed number of 32-bit words. Rows are allocated in blocks of a
 * few, so that a list of rows grows without being copied: reallocated arrays, each a little larger
 * than the one before, left holes in memory half as large as what they held.
 *
 * A block is free again once the owner of its list is garbage-collected, not once the owner is
 * evicted from the cache: a decision in flight may still be reading it.
 */
export class RowSpace {
  readonly width: number;
  readonly #slabs: Uint32Array[] = [];
  readonly #free: number[] = [];
  readonly #gone = new FinalizationRegistry<readonly number[]>((blocks) => {
    for (const block of blocks) this.#free.push(block);
  });

  constructor(width: number) {
    this.width = width;
  }

  /** Size of a block. */
  get blockBytes(): number {
    return blockRows * this.width * Uint32Array.BYTES_PER_ELEMENT;
  }

  /** Size of all blocks, including the free ones. */
  get bytes(): number {
    return this.#slabs.length * slabBlocks * this.blockBytes;
  }

  /** A list for the blocks of an owner; they are freed when the owner is garbage-collected. */
  listFor(owner: object): number[] {
    const blocks: number[] = [];
    this.#gone.register(owner, blocks);
    return blocks;
  }

  take(): number {
    if (this.#free.length === 0) this.#extend();
    return this.#free.pop() ?? 0;
  }

  /** The slab that contains a row of the list. */
  wordsOf(blocks: readonly number[], row: number): Uint32Array {
    const block = blocks[(row / blockRows) | 0] ?? 0;
    return this.#slabs[(block / slabBlocks) | 0] as Uint32Array;
  }

  /** The index in that slab at which the row begins. */
  placeOf(blocks: readonly number[], row: number): number {
    const block = blocks[(row / blockRows) | 0] ?? 0;
    return ((block % slabBlocks) * blockRows + (row % blockRows)) * this.width;
  }

  #extend(): void {
    const first = this.#slabs.length * slabBlocks;
    this.#slabs.push(new Uint32Array(slabBlocks * blockRows * this.width));
    for (let next = first + slabBlocks - 1; next >= first; next -= 1) this.#free.push(next);
  }
}
