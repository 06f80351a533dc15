import type { Logger } from '@countersign/runtime/log';
import type { Counter } from '@countersign/runtime/metrics';
import { type ChainParts, entriesAtOnce, extendChain } from './extend.js';

export interface BuilderOptions extends ChainParts {
  log: Logger;
  /** Counts the entries this process has added. */
  entries: Counter<'environment'>;
}

const pauseMs = 1_000;
const pauseWhenBehindMs = 10;
const pauseAfterFailureMs = 5_000;

/** Chains what has been recorded, for as long as the process runs and beside whatever it does. */
export function startChainBuilder(options: BuilderOptions): { stop(): Promise<void> } {
  const { environment, log, entries } = options;
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
        const added = (await extendChain(options)) ?? 0;
        entries.inc({ environment }, added);
        await pause(added === entriesAtOnce ? pauseWhenBehindMs : pauseMs);
      } catch (error) {
        log.error({ err: error }, 'the hash chain waits');
        await pause(pauseAfterFailureMs);
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
