import type { Pool } from './database.js';
import { Loop } from './loop.js';
import type { Gauge } from './metrics.js';
import { type RecoveryOptions, startRecovery } from './outbox/recovery.js';
import { relayBatch } from './outbox/relay-batch.js';
import { behindReporter, failureReporter } from './outbox/reports.js';
import { Selection } from './outbox/selection.js';
import { Pace } from './sharing/pace.js';

interface RelayOptions extends RecoveryOptions {
  /** Where to report how far behind the relay is; see `createBehindGauge`. */
  behind?: Gauge<'environment'>;
}

export interface Relay {
  /** Called after a commit of this process; rows of other processes are found by polling. */
  wake(): void;
  stop(): Promise<void>;
}

const pauseMs = 500;
/** Between batches: reading fifty events costs the same as reading one. */
const minIntervalMs = 50;
const pauseWhenAwayMs = 1_000;

/** Publishes the outbox for the lifetime of the process. */
export function startRelay(options: RelayOptions): Relay {
  return new OutboxRelay(options);
}

class OutboxRelay implements Relay {
  readonly #options: RelayOptions;
  readonly #recovery: { stop(): Promise<void> };
  readonly #loop: Loop;
  readonly #pace = new Pace({ everyMs: minIntervalMs });
  readonly #reportBehind: (nothingWaits: boolean) => void;
  readonly #failure: ReturnType<typeof failureReporter>;
  #selection = new Selection();
  /** Whether there has been a connection to the bus. */
  #opened = false;
  /** Whether the bus refused something of the last batch. */
  #refused = false;

  constructor(options: RelayOptions) {
    this.#options = options;
    this.#recovery = startRecovery(options);
    this.#reportBehind = behindReporter(options);
    this.#failure = failureReporter(options);
    this.#loop = new Loop({
      turn: () => this.#turn(),
      failed: (error) => this.#failed(error),
    });
    void options.bus.opened().then(() => {
      this.#opened = true;
      this.wake();
    });
  }

  wake(): void {
    this.#loop.wake();
  }

  async stop(): Promise<void> {
    await Promise.all([this.#recovery.stop(), this.#loop.stop()]);
    // Publishes what was committed while the loop ended, rather than at the next start; what
    // cannot be published stays in the outbox for that. A bus that has just refused something
    // may have taken half of the time of the shutdown for it.
    if (!this.#refused) await relayBatch(this.#options, new Selection()).catch(() => {});
  }

  /** One batch; resolves with the pause before the next, in milliseconds. */
  async #turn(): Promise<number> {
    const { bus, pool, behind } = this.#options;
    if (!bus.connected() && behind) this.#reportBehind(await isNothingWaiting(pool));
    // At a start the connection takes a moment; a bus that is away reports that itself.
    if (!this.#opened) return pauseMs;
    await this.#pace.begin();
    const relayed = await relayBatch(this.#options, this.#selection);
    const { published, isAll, refusal } = relayed;
    this.#reportBehind(isAll && !refusal);
    this.#failure.relayed(relayed);
    this.#refused = refusal !== null;
    if (refusal && published === 0) throw refusal.reason;
    return isAll || refusal ? pauseMs : 0;
  }

  #failed(error: unknown): number {
    this.#failure.failed(error);
    this.#refused = true;
    // What has come while nothing was published is part of the backlog.
    this.#selection = new Selection();
    this.#reportBehind(false);
    return pauseWhenAwayMs;
  }
}

/** The bus being away alone leaves nothing behind. */
async function isNothingWaiting(pool: Pool): Promise<boolean> {
  const { rowCount } = await pool.query('SELECT FROM unpublished LIMIT 1');
  return rowCount === 0;
}
