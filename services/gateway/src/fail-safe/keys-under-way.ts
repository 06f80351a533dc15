interface UnderWay {
  requests: number;
  told: string | null;
}

/**
 * What was told under a key while other requests of it are still under way here: whatever becomes
 * of those, they tell the same. As large as there are requests under way.
 */
export class KeysUnderWay {
  readonly #keys = new Map<string, UnderWay>();

  /** A request begins; returns what ends it. */
  enter(name: string): () => void {
    const key = this.#keys.get(name) ?? { requests: 0, told: null };
    key.requests += 1;
    this.#keys.set(name, key);
    return () => {
      key.requests -= 1;
      if (key.requests === 0) this.#keys.delete(name);
    };
  }

  tell(name: string, answer: string): void {
    const key = this.#keys.get(name);
    if (key) key.told ??= answer;
  }

  told(name: string): string | null {
    return this.#keys.get(name)?.told ?? null;
  }
}
