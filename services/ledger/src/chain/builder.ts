import type { Logger } from '@countersign/runtime/log';
import type { Counter, Gauge } from '@countersign/runtime/metrics';
import { type ChainParts, entriesAtOnce, extendChain } from './extend.js';
import { HeadMemory, LogWasChanged } from './memory.js';

export interface BuilderOptions extends Omit<ChainParts, 'memory'> {
  log: Logger;
  /** 1 from when this process refuses to go on until it ends. */
  refuses: Gauge<'environment'>;
  /** Counts the entries this process has added. */
  entries: Counter<'environment'>;
}

const pauseMs = 1_000;
const pauseWhenBehindMs = 10;
const pauseAfterFailureMs = 5_000;
/** How often a builder that will not go on says so. */
const pauseAfterRefusalMs = 60_000;

/** Chains what has been recorded, for as long as the process runs and beside whatever it does. */
export function startChainBuilder(options: BuilderOptions): { stop(): Promise<void> } {
  const { environment, entries, refuses } = options;
  const parts = { ...options, memory: new HeadMemory() };
  refuses.set({ environment }, 0);
  let stopped = false;
  let wake: () => void = () => {};
  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      if (stopped) return resolve();
      const timer = setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  const run = async (): Promise<void> => {
    while (!stopped) {
      try {
        const added = (await extendChain(parts)) ?? 0;
        entries.inc({ environment }, added);
        await pause(added === entriesAtOnce ? pauseWhenBehindMs : pauseMs);
      } catch (error) {
        await pause(tellFailure(error, options));
      }
    }
  };
  const running = run();
  return {
    stop: () => {
      stopped = true;
      wake();
      return running;
    },
  };
}

/** Returns how long to wait for the next try. */
function tellFailure(error: unknown, { environment, log, refuses }: BuilderOptions): number {
  if (error instanceof LogWasChanged) {
    refuses.set({ environment }, 1);
    log.error({ err: error }, 'the hash chain is refused until this process is restarted');
    return pauseAfterRefusalMs;
  }
  log.error({ err: error }, 'the hash chain waits');
  return pauseAfterFailureMs;
}
