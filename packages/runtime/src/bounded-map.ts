interface Entry<V> {
  value: V;
  weight: number;
  usedAgain: boolean;
}

/**
 * A map of bounded size with second-chance (clock) eviction: a use only sets a mark, since moving
 * the entry as an LRU does would cost more than the look-up itself. A marked entry loses its mark
 * instead of being evicted.
 */
export class BoundedMap<K, V> {
  /** In order of insertion, or of the last second chance. */
  readonly #entries = new Map<K, Entry<V>>();
  readonly #max: number;
  #weight = 0;
  /**
   * Position of the clock hand while the map is full: a new iterator would step over all entries
   * deleted since the table was last compacted. Dropped on `delete`, because an iterator that is
   * kept but not used retains every table since.
   */
  #oldest: Iterator<[K, Entry<V>], undefined> | undefined;

  constructor(max: number) {
    if (!(max >= 1)) throw new RangeError(`a bound of ${max}`);
    this.#max = max;
  }

  get(key: K): V | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    entry.usedAgain = true;
    return entry.value;
  }

  /** The entry counts as `weight` entries; one that alone exceeds the bound is not stored. */
  set(key: K, value: V, weight = 1): void {
    const entry = this.#entries.get(key);
    if (entry?.weight === weight) {
      entry.value = value;
      entry.usedAgain = true;
      return;
    }
    if (entry) this.delete(key);
    if (weight > this.#max) return;
    while (this.#weight + weight > this.#max) this.#forgetOne();
    this.#entries.set(key, { value, weight, usedAgain: false });
    this.#weight += weight;
  }

  delete(key: K): void {
    this.#oldest = undefined;
    this.#weight -= this.#entries.get(key)?.weight ?? 0;
    this.#entries.delete(key);
  }

  get size(): number {
    return this.#entries.size;
  }

  /**
   * The iterator also reaches entries that are appended during the walk, so it returns to its first
   * entry at the latest, whose mark has been cleared by then.
   */
  #forgetOne(): void {
    this.#oldest ??= this.#entries.entries();
    for (let next = this.#oldest.next(); !next.done; next = this.#oldest.next()) {
      const [key, entry] = next.value;
      this.#entries.delete(key);
      if (!entry.usedAgain) {
        this.#weight -= entry.weight;
        return;
      }
      entry.usedAgain = false;
      this.#entries.set(key, entry);
    }
  }
}
