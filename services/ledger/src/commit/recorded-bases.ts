import { BoundedMap } from '@countersign/runtime/bounded-map';
import type { Pending } from './pending.js';
import type { Proposal } from './proposal.js';

const maxKnown = 50_000;

/**
 * Caches the hashes of bases and thresholds that are known to be recorded. Recorded texts are
 * never removed, so the cache cannot be stale; a text that was evicted from it is sent once more.
 */
export class RecordedBases {
  readonly #known = new BoundedMap<string, true>(maxKnown);

  /**
   * True if a text was omitted that is not known to be recorded. The thresholds of a recorded
   * basis are recorded too.
   */
  isMissingText({ basis, thresholds }: Pick<Proposal, 'basis' | 'thresholds'>): boolean {
    if (basis === null || this.#has(basis.hash)) return false;
    if (basis.body === null) return true;
    return thresholds !== null && thresholds.body === null && !this.#has(thresholds.hash);
  }

  /** The distinct texts of a batch that are not known to be recorded. */
  unrecorded(batch: readonly Pending[]): Array<[hash: string, body: string]> {
    const unrecorded = new Map<string, string>();
    for (const { basis, thresholds } of batch.map(({ proposal }) => proposal)) {
      for (const { hash, body } of [basis, thresholds].filter((each) => each !== null)) {
        if (body !== null && !this.#has(hash)) unrecorded.set(hash, body);
      }
    }
    return [...unrecorded];
  }

  /** Called after the commit that recorded them. */
  add(bases: ReadonlyArray<[hash: string, body: string]>): void {
    for (const [hash] of bases) this.#known.set(hash, true);
  }

  #has(hash: string): boolean {
    return this.#known.get(hash) !== undefined;
  }
}
