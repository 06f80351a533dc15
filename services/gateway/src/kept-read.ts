import type { Clock } from '@countersign/kernel/clock';

interface Options {
  clock: Clock;
  /** For so long a result is given again without another read. */
  freshMs: number;
  /** For so long it is given where another read fails; default: not at all. */
  usableMs?: number;
}

interface Known<T> {
  value: T;
  readAt: number;
  /** How often the result had been outdated when the read began. */
  changes: number;
}

/**
 * A read that everybody may cause, and that costs no more for it: one at a time, shared by all who
 * ask meanwhile, and its result is kept for a while.
 */
export class KeptRead<T> {
  readonly #options: Options;
  #known: Known<T> | null = null;
  #changes = 0;
  #reading: Promise<T> | null = null;

  constructor(options: Options) {
    this.#options = options;
  }

  /** `ask` is called where nothing fresh is known and nobody is asking yet. */
  async get(ask: () => Promise<T>): Promise<T> {
    const { clock, freshMs, usableMs = 0 } = this.#options;
    const known = this.#known;
    // A clock that was set back must not make a result fresh for as long.
    const age = known ? Math.abs(clock() - known.readAt) : Infinity;
    if (known && known.changes === this.#changes && age < freshMs) return known.value;
    const reading = this.#reading ?? this.#read(ask);
    this.#reading = reading;
    try {
      return await reading;
    } catch (error) {
      if (this.#known && age < usableMs) return this.#known.value;
      throw error;
    } finally {
      if (this.#reading === reading) this.#reading = null;
    }
  }

  /** What is known is no longer so, and neither is what is being read: the next read is fresh. */
  outdate(): void {
    this.#changes += 1;
    this.#reading = null;
  }

  async #read(ask: () => Promise<T>): Promise<T> {
    const changes = this.#changes;
    const value = await ask();
    if (!this.#known || changes >= this.#known.changes) {
      this.#known = { value, readAt: this.#options.clock(), changes };
    }
    return value;
  }
}
