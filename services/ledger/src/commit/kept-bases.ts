import { BoundedMap } from '@countersign/runtime/bounded-map';
import type { Pending } from './pending.js';
import type { Proposal } from './proposal.js';

const maxKnown = 50_000;

/**
 * Which bases, and thresholds that they name, this process knows to be on record. What it has
 * forgotten is sent once more and found there, and nothing on record is ever taken away.
 */
export class KeptBases {
  readonly #known = new BoundedMap<string, true>(maxKnown);

  /** With a basis that is on record its thresholds are too. */
  lacks({ basis, thresholds }: Pick<Proposal, 'basis' | 'thresholds'>): boolean {
    if (basis === null || this.#has(basis.hash)) return false;
    if (basis.body === null) return true;
    return thresholds !== null && thresholds.body === null && !this.#has(thresholds.hash);
  }

  /** Those of a batch that are not known to be kept, each once: [hash, body]. */
  fresh(batch: readonly Pending[]): Array<[hash: string, body: string]> {
    const fresh = new Map<string, string>();
    for (const { basis, thresholds } of batch.map(({ proposal }) => proposal)) {
      for (const { hash, body } of [basis, thresholds].filter((each) => each !== null)) {
        if (body !== null && !this.#has(hash)) fresh.set(hash, body);
      }
    }
    return [...fresh];
  }

  /** After the commit of a batch that recorded something, and so its bases. */
  keep(bases: ReadonlyArray<[hash: string, body: string]>): void {
    for (const [hash] of bases) this.#known.set(hash, true);
  }

  #has(hash: string): boolean {
    return this.#known.get(hash) !== undefined;
  }
}
