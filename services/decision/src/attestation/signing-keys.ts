import type { Logger } from '@countersign/runtime/log';
import { RepeatedFailure } from '@countersign/runtime/repeated-failure';
import type { Signer } from './key-pair.js';
import type { KeyStore, SigningKeyRow } from './key-store.js';

/** How long a replica may go on signing with a key that another has just retired. */
const rereadMs = 1_000;

/**
 * The active signing key, held in memory, so that signing needs no I/O. A replica that cannot
 * reach its database goes on with the key it has.
 */
export class SigningKeys {
  readonly #store: KeyStore;
  readonly #log: Logger;
  readonly #away: RepeatedFailure;
  #signer: Signer | null = null;
  /** The active key as last read, usable or not. */
  #kid: string | null = null;
  #reading: Promise<void> = Promise.resolve();
  #busy = false;
  #timer: NodeJS.Timeout | undefined;

  private constructor(store: KeyStore, log: Logger) {
    this.#store = store;
    this.#log = log;
    this.#away = new RepeatedFailure({
      log,
      failed: 'cannot refresh the signing key',
      over: 'the signing key is refreshed again',
    });
  }

  /** Creates the first keys if there are none. The caller has to call `stop`. */
  static async open(store: KeyStore, log: Logger): Promise<SigningKeys> {
    const keys = new SigningKeys(store, log);
    await store.ensure();
    await keys.reread();
    keys.#timer = setInterval(() => {
      if (!keys.#busy) void keys.reread();
    }, rereadMs).unref();
    return keys;
  }

  /** Throws if the active key cannot be used; the reason has been logged. */
  current(): Signer {
    if (!this.#signer) throw new Error('there is no signing key that can be used');
    return this.#signer;
  }

  list(): Promise<SigningKeyRow[]> {
    return this.#store.list();
  }

  /** This replica signs with the new key when it answers, the others within a second. */
  async rotate(): Promise<{ activeKid: string; nextKid: string }> {
    const rotated = await this.#store.rotate();
    await this.reread();
    return rotated;
  }

  /**
   * Never rejects: `current` throws if no key is usable. One read at a time, so the newest wins.
   */
  reread(): Promise<void> {
    this.#reading = this.#reading.then(() => this.#read());
    return this.#reading;
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#reading;
  }

  async #read(): Promise<void> {
    this.#busy = true;
    try {
      this.#use(await this.#store.active());
      this.#away.succeeded();
    } catch (error) {
      this.#away.failed(error);
    } finally {
      this.#busy = false;
    }
  }

  #use(row: SigningKeyRow | null): void {
    const kid = row?.kid ?? null;
    if (kid === this.#kid) return;
    this.#kid = kid;
    // The former key must not sign any more, even if its successor turns out to be unusable.
    this.#signer = null;
    try {
      if (!row) throw new Error('no key is active');
      this.#signer = this.#store.open(row);
      this.#log.info({ kid }, 'signing decisions with this key');
    } catch (error) {
      this.#log.error({ err: error, kid }, 'no usable signing key: decisions are not signed');
    }
  }
}
