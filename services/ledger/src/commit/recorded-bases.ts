import { BoundedMap } from '@countersign/runtime/bounded-map';
import type { Pending } from './pending.js';
import type { Proposal } from './proposal.js';

const maxKnown = 50_000;

/**
 * The hashes of bases and thresholds that this process knows to be on record. They are never
 * removed there, so this cannot be outdated; one that was evicted here is sent once more.
 */
export class KeptBases {
  readonly #known = new BoundedMap<string, true>(maxKnown);

  /**
   * True where a text was left out that is not known to be on record. The thresholds of a basis
   * that is on record are on record too.
   */
  lacks({ basis, thresholds }: Pick<Proposal, 'basis' | 'thresholds'>): boolean {
    if (basis === null || this.#has(basis.hash)) return false;
    if (basis.body === null) return true;
    return thresholds !== null && thresholds.body === null && !this.#has(thresholds.hash);
  }

  /** The texts of a batch that are not known to be on record, each once: [hash, body]. */
  fresh(batch: readonly Pending[]): Array<[hash: string, body: string]> {
    const fresh = new Map<string, string>();
    for (const { basis, thresholds } of batch.map(({ proposal }) => proposal)) {
      for (const { hash, body } of [basis, thresholds].filter((each) => each !== null)) {
        if (body !== null && !this.#has(hash)) fresh.set(hash, body);
      }
    }
    return [...fresh];
  }

  /** Called after a commit that recorded them. */
  keep(bases: ReadonlyArray<[hash: string, body: string]>): void {
    for (const [hash] of bases) this.#known.set(hash, true);
  }

  #has(hash: string): boolean {
    return this.#known.get(hash) !== undefined;
  }
}
