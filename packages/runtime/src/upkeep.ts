import type { Environment } from '@countersign/kernel/environment';
import type { Lifecycle } from './lifecycle.js';
import type { Logger } from './log.js';

/** Bounded clean-up of expired data; returns the number of items. */
export interface Chore {
  what: string;
  /** Starts nothing more once `signal` is aborted, since a process ends within seconds. */
  work: (signal: AbortSignal) => Promise<number>;
}

interface UpkeepOptions {
  log: Logger;
  lifecycle: Lifecycle;
  /** Named in the lines of all chores. */
  environment?: Environment;
  everyMs?: number;
}

const defaultIntervalMs = 60_000;

/**
 * Runs all chores now and every minute until the lifecycle ends. A chore that fails is retried in
 * the next pass, and passes never overlap; stopping waits for what the current chore has in
 * progress and starts no other.
 */
export function startUpkeep(
  chores: readonly Chore[],
  { log: logger, lifecycle, environment, everyMs = defaultIntervalMs }: UpkeepOptions,
): void {
  const log = environment ? logger.child({ environment }) : logger;
  const stopping = new AbortController();
  const { signal } = stopping;
  let pass: Promise<void> | null = null;
  const doAll = async (): Promise<void> => {
    for (const chore of chores) if (!signal.aborted) await done(chore, signal, log);
    pass = null;
  };
  const begin = (): void => {
    pass ??= doAll();
  };
  begin();
  const timer = setInterval(begin, everyMs);
  lifecycle.onShutdown(environment ? `upkeep ${environment}` : 'upkeep', async () => {
    stopping.abort();
    clearInterval(timer);
    await pass;
  });
}

async function done({ what, work }: Chore, signal: AbortSignal, log: Logger): Promise<void> {
  try {
    const count = await work(signal);
    if (count > 0) log.info({ count }, what);
  } catch (error) {
    log.warn({ err: error }, `clean-up failed: ${what}`);
  }
}
