import type { JsonWebKey } from 'node:crypto';
import type { Clock } from '@countersign/kernel/clock';
import type { Logger } from '@countersign/runtime/log';
import type { FetchKeys } from './fetch-keys.js';
import type { KeySet } from './key-set.js';

interface RemoteKeysParts {
  uri: string;
  fetch: FetchKeys;
  clock: Clock;
  log: Logger;
}

/** Age from which keys are refreshed, and age up to which they are used if refreshing fails. */
const freshMs = 3_600_000;
const longestMs = 24 * 3_600_000;
/** Minimum interval between fetches, so that made-up key ids cannot flood the issuer. */
const pauseMs = 60_000;

/** The published keys of an issuer, cached. Removing a key there is how an issuer revokes it. */
export class RemoteKeys {
  readonly #parts: RemoteKeysParts;
  #known: { keys: KeySet; at: number } | null = null;
  #triedAt = Number.NEGATIVE_INFINITY;
  #failed = false;
  #inFlight: Promise<void> | null = null;

  constructor(parts: RemoteKeysParts) {
    this.#parts = parts;
  }

  /**
   * Never rejects. `unavailable` if it cannot be determined whether the key exists. A cached key
   * is returned at once, and refreshed in the background if it is old.
   */
  async find(kid: string): Promise<JsonWebKey | 'unknown' | 'unavailable'> {
    const known = this.#usable()?.get(kid);
    if (known === undefined) await this.#fetchAgain();
    else if (this.#age() > freshMs) void this.#fetchAgain();
    const keys = this.#usable();
    if (!keys) return 'unavailable';
    return keys.get(kid) ?? (this.#failed ? 'unavailable' : 'unknown');
  }

  #usable(): KeySet | null {
    return this.#known && this.#age() <= longestMs ? this.#known.keys : null;
  }

  #age(): number {
    return this.#msSince(this.#known?.at ?? 0);
  }

  /** A clock that was set back must not keep the keys from being fetched for as long. */
  #msSince(time: number): number {
    return Math.abs(this.#parts.clock() - time);
  }

  /** Concurrent callers share one fetch. */
  #fetchAgain(): Promise<void> {
    const { clock } = this.#parts;
    if (this.#inFlight !== null) return this.#inFlight;
    if (this.#msSince(this.#triedAt) < pauseMs) return Promise.resolve();
    this.#triedAt = clock();
    this.#inFlight = this.#fetch().finally(() => {
      this.#inFlight = null;
    });
    return this.#inFlight;
  }

  async #fetch(): Promise<void> {
    const { uri, fetch, clock, log } = this.#parts;
    try {
      this.#known = { keys: await fetch(uri), at: clock() };
      this.#failed = false;
    } catch (error) {
      this.#failed = true;
      log.warn({ uri, why: (error as Error).message }, "cannot fetch an issuer's keys");
    }
  }
}
