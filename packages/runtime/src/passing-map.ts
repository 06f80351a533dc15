interface Box<V> {
  value: V | undefined;
}

/**
 * A map for short-lived entries such as calls in flight. V8's Map allocates a new table whenever
 * its own is full of deleted entries; the old table keeps what was in it and points to the new one.
 * Once an old table is in the old generation, everything reachable from it is promoted as well,
 * finished requests included: 11 KB for each payment in the gateway, and a major collection every
 * few seconds. Here the tables hold boxes, which are emptied when an entry is removed.
 */
export class PassingMap<K, V> {
  readonly #boxes = new Map<K, Box<V>>();

  get size(): number {
    return this.#boxes.size;
  }

  get(key: K): V | undefined {
    return this.#boxes.get(key)?.value;
  }

  /** The key must not be present yet. */
  set(key: K, value: V): void {
    this.#boxes.set(key, { value });
  }

  /** Removes the entry and returns its value. */
  take(key: K): V | undefined {
    const box = this.#boxes.get(key);
    if (!box) return undefined;
    this.#boxes.delete(key);
    const { value } = box;
    box.value = undefined;
    return value;
  }

  takeAll(): V[] {
    return [...this.#boxes.keys()].map((key) => this.take(key) as V);
  }
}
