import type { Clock } from '@countersign/kernel/clock';

interface Options {
  clock: Clock;
  /** For so long a result is given again without another read. */
  freshMs: number;
  /** For so long it is given where another read fails; default: not at all. */
  usableMs?: number;
  /** For so long a failure is told again without another read; default: not at all. */
  retryMs?: number;
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
  #failed: { error: unknown; at: number } | null = null;
  #changes = 0;
  #reading: Promise<T> | null = null;

  constructor(options: Options) {
    this.#options = options;
  }

  /** `ask` is called where nothing fresh is known and nobody is asking yet. */
  async get(ask: () => Promise<T>): Promise<T> {
    const { freshMs, usableMs = 0 } = this.#options;
    const known = this.#known;
    const age = this.#msSince(known?.readAt);
    if (known && known.changes === this.#changes && age < freshMs) return known.value;
    try {
      return await this.#shared(ask);
    } catch (error) {
      if (this.#known && age < usableMs) return this.#known.value;
      throw error;
    }
  }

  /** What is known is no longer so, and neither is what is being read: the next read is fresh. */
  outdate(): void {
    this.#changes += 1;
    this.#failed = null;
    this.#reading = null;
  }

  async #shared(ask: () => Promise<T>): Promise<T> {
    const { retryMs = 0 } = this.#options;
    if (this.#failed && this.#msSince(this.#failed.at) < retryMs) throw this.#failed.error;
    const reading = this.#reading ?? this.#read(ask);
    this.#reading = reading;
    try {
      return await reading;
    } finally {
      if (this.#reading === reading) this.#reading = null;
    }
  }

  async #read(ask: () => Promise<T>): Promise<T> {
    const changes = this.#changes;
    try {
      const value = await ask();
      if (!this.#known || changes >= this.#known.changes) {
        this.#known = { value, readAt: this.#options.clock(), changes };
        this.#failed = null;
      }
      return value;
    } catch (error) {
      if (changes === this.#changes) this.#failed = { error, at: this.#options.clock() };
      throw error;
    }
  }

  /** A clock that was set back must not make something recent for as long. */
  #msSince(time: number | undefined): number {
    return time === undefined ? Infinity : Math.abs(this.#options.clock() - time);
  }
}
