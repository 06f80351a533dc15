import type { Logger } from '@countersign/runtime/log';

/** Bounded work on what is past; returns how much of it there was. */
export interface Chore {
  what: string;
  work: () => Promise<number>;
}

const pauseMs = 60_000;

/** Does all of it every minute until it is stopped; what fails is tried with the next pass. */
export function startUpkeep(chores: readonly Chore[], log: Logger): { stop(): Promise<void> } {
  const doAll = async (): Promise<void> => {
    for (const { what, work } of chores) {
      try {
        const count = await work();
        if (count > 0) log.info({ count }, what);
      } catch (error) {
        log.warn({ err: error }, `not done: ${what}`);
      }
    }
    pass = null;
  };
  let pass: Promise<void> | null = null;
  const timer = setInterval(() => {
    pass ??= doAll();
  }, pauseMs);
  return {
    stop: async () => {
      clearInterval(timer);
      await pass;
    },
  };
}
