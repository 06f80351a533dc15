export const blockRows = 8;
const slabBlocks = 512;

/**
 * Room for very many rows of the same number of words. It is handed out in blocks of a few rows, so
 * that a list of rows grows without being copied: arrays of its own for each agent, each a little
 * larger than the one before, left half as many holes as they held.
 *
 * A block goes back once whoever took it is gone, not once it is forgotten: a decision may still
 * compare with what memory has let go of meanwhile.
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

  /** What a block takes of memory. */
  get blockBytes(): number {
    return blockRows * this.width * Uint32Array.BYTES_PER_ELEMENT;
  }

  /** What all blocks take together, the free ones too. */
  get bytes(): number {
    return this.#slabs.length * slabBlocks * this.blockBytes;
  }

  /** A list of blocks to take more into; they are free again when the owner is collected. */
  listFor(owner: object): number[] {
    const blocks: number[] = [];
    this.#gone.register(owner, blocks);
    return blocks;
  }

  take(): number {
    if (this.#free.length === 0) this.#extend();
    return this.#free.pop() ?? 0;
  }

  /** The words among which the row is. */
  wordsOf(blocks: readonly number[], row: number): Uint32Array {
    const block = blocks[(row / blockRows) | 0] ?? 0;
    return this.#slabs[(block / slabBlocks) | 0] as Uint32Array;
  }

  /** Where among them it begins. */
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
