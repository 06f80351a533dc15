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
  /** In the order in which they came, or got their last chance. */
  readonly #entries = new Map<K, Entry<V>>();
  readonly #max: number;
  #weight = 0;
  /**
   * Where the oldest begin, while the map is full: a new walk would step over all that was deleted
   * since the table was last put in order. A walk that rests would hold on to every table since.
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

  /** The entry counts as `weight` ones; one that alone exceeds the bound is not kept. */
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
   * The walk also meets what is put at the end meanwhile, so it ends with its first entry again at
   * the latest: by then the mark of that is gone.
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
