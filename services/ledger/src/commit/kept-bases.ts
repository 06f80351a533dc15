import { BoundedMap } from '@countersign/runtime/bounded-map';
import type { Pending } from './pending.js';

const maxKnown = 50_000;

/**
 * Which bases this process knows to be on record. What it has forgotten is sent once more and found
 * there, and nothing that is on record is ever taken away.
 */
export class KeptBases {
  readonly #known = new BoundedMap<string, true>(maxKnown);

  has(hash: string): boolean {
    return this.#known.get(hash) !== undefined;
  }

  /** Those of a batch that are not known to be kept, each once: [hash, body]. */
  fresh(batch: readonly Pending[]): Array<[hash: string, body: string]> {
    const fresh = new Map<string, string>();
    for (const { proposal } of batch) {
      const { hash, body } = proposal.basis ?? { hash: '', body: null };
      if (body !== null && !this.has(hash)) fresh.set(hash, body);
    }
    return [...fresh];
  }

  /** After the commit of a batch that recorded something, and so its bases. */
  keep(bases: ReadonlyArray<[hash: string, body: string]>): void {
    for (const [hash] of bases) this.#known.set(hash, true);
  }
}
