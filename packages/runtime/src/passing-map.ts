interface Box<V> {
  value: V | undefined;
}

/**
 * A map of what comes and goes, such as calls under way. A Map builds a new table whenever its own
 * is full of what was deleted, and the old one keeps what was in it, and a pointer to the next.
 * Once one of them is in V8's old generation, all that follow get there as well, dead or not, with
 * the requests they held: that was 11 KB for each payment in the gateway, and the whole heap was
 * marked for it every few seconds. Here tables hold boxes, and a box is empty when what was in it
 * has gone.
 */
export class PassingMap<K, V> {
  readonly #boxes = new Map<K, Box<V>>();

  get size(): number {
    return this.#boxes.size;
  }

  get(key: K): V | undefined {
    return this.#boxes.get(key)?.value;
  }

  /** For a key that is not there. */
  set(key: K, value: V): void {
    this.#boxes.set(key, { value });
  }

  /** What was there, which now is not. */
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
