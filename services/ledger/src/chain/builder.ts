import type { Logger } from '@countersign/runtime/log';
import { Loop } from '@countersign/runtime/loop';
import type { Counter, Gauge } from '@countersign/runtime/metrics';
import { type ChainParts, entriesAtOnce, extendChain } from './extend.js';
import { HeadMemory, LogWasChanged } from './memory.js';

interface BuilderOptions extends Omit<ChainParts, 'memory'> {
  log: Logger;
  /** 1 once this process has detected a change of the log and no longer extends the chain. */
  refuses: Gauge<'environment'>;
  /** Counts the entries that this process has added. */
  entries: Counter<'environment'>;
}

const pauseMs = 1_000;
const pauseWhenBehindMs = 10;
const pauseAfterFailureMs = 5_000;
/** Interval at which a builder logs that it no longer extends the chain. */
const pauseAfterRefusalMs = 60_000;

/** Extends the hash chain by new records for the lifetime of the process. */
export function startChainBuilder(options: BuilderOptions): Loop {
  const { environment, entries, refuses } = options;
  const parts = { ...options, memory: new HeadMemory() };
  refuses.set({ environment }, 0);
  return new Loop({
    turn: async () => {
      const added = (await extendChain(parts)) ?? 0;
      entries.inc({ environment }, added);
      return added === entriesAtOnce ? pauseWhenBehindMs : pauseMs;
    },
    failed: (error) => reportFailure(error, options),
  });
}

/** Returns the delay before the next attempt in milliseconds. */
function reportFailure(error: unknown, { environment, log, refuses }: BuilderOptions): number {
  if (error instanceof LogWasChanged) {
    refuses.set({ environment }, 1);
    log.error({ err: error }, 'the hash chain is not extended until this process is restarted');
    return pauseAfterRefusalMs;
  }
  log.error({ err: error }, 'cannot extend the hash chain; retrying');
  return pauseAfterFailureMs;
}
