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
  const { bus, pool, behind } = options;
  const recovery = startRecovery(options);
  const pace = new Pace({ everyMs: minIntervalMs });
  let selection = new Selection();
  const reportBehind = behindReporter(options);
  const failure = failureReporter(options);
  let opened = false;
  let refused = false;
  const loop = new Loop({
    turn: async () => {
      if (!bus.connected() && behind) reportBehind(await isNothingWaiting(pool));
      // At a start the connection takes a moment; a bus that is away reports that itself.
      if (!opened) return pauseMs;
      await pace.begin();
      const relayed = await relayBatch(options, selection);
      const { published, isAll, refusal } = relayed;
      reportBehind(isAll && !refusal);
      failure.relayed(relayed);
      refused = refusal !== null;
      if (refusal && published === 0) throw refusal.reason;
      return isAll || refusal ? pauseMs : 0;
    },
    failed: (error) => {
      failure.failed(error);
      refused = true;
      // What has come while nothing was published is part of the backlog.
      selection = new Selection();
      reportBehind(false);
      return pauseWhenAwayMs;
    },
  });
  void bus.opened().then(() => {
    opened = true;
    loop.wake();
  });
  return {
    wake: () => loop.wake(),
    stop: async () => {
      await Promise.all([recovery.stop(), loop.stop()]);
      // Publishes what was committed while the loop ended, rather than at the next start; what
      // cannot be published stays in the outbox for that. A bus that has just refused something
      // may have taken half of the time of the shutdown for it.
      if (!refused) await relayBatch(options, new Selection()).catch(() => {});
    },
  };
}

/** The bus being away alone leaves nothing behind. */
async function isNothingWaiting(pool: Pool): Promise<boolean> {
  const { rowCount } = await pool.query('SELECT FROM unpublished LIMIT 1');
  return rowCount === 0;
}
