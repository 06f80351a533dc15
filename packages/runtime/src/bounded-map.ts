interface Entry<V> {
  value: V;
  usedAgain: boolean;
}

/**
 * A map that forgets what was not used for long, so that no caller can make it grow. A use is only
 * marked, since reordering costs more than what is looked up; what is marked gets a second chance
 * when it would be forgotten.
 */
export class BoundedMap<K, V> {
  /** In the order in which they came, or got their last chance. */
  readonly #entries = new Map<K, Entry<V>>();
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  get(key: K): V | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    entry.usedAgain = true;
    return entry.value;
  }

  set(key: K, value: V): void {
    const entry = this.#entries.get(key);
    if (entry) {
      entry.value = value;
      entry.usedAgain = true;
      return;
    }
    if (this.#entries.size >= this.#max) this.#forgetOne();
    this.#entries.set(key, { value, usedAgain: false });
  }

  delete(key: K): void {
    this.#entries.delete(key);
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Ends with the first entry again at the latest: by then its mark is gone. */
  #forgetOne(): void {
    for (const [key, entry] of this.#entries) {
      this.#entries.delete(key);
      if (!entry.usedAgain) return;
      entry.usedAgain = false;
      this.#entries.set(key, entry);
    }
  }
}
