import { BoundedMap } from '@countersign/runtime/bounded-map';
import type { Pending } from './pending.js';
import type { Basis } from './proposal.js';

const maxKnown = 50_000;

/**
 * Which bases this process knows to be on record. What it has forgotten is sent once more and found
 * there, and nothing that is on record is ever taken away.
 */
export class KeptBases {
  readonly #known = new BoundedMap<string, true>(maxKnown);

  /** Those of a batch that are not known to be kept, each once. */
  fresh(batch: readonly Pending[]): Basis[] {
    const fresh = new Map<string, Basis>();
    for (const { proposal } of batch) {
      const { basis } = proposal;
      if (basis && !this.#known.get(basis.hash)) fresh.set(basis.hash, basis);
    }
    return [...fresh.values()];
  }

  /** After the commit of a batch that recorded something, and so its bases. */
  keep(bases: readonly Basis[]): void {
    for (const { hash } of bases) this.#known.set(hash, true);
  }
}
