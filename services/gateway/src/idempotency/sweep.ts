import type { Context } from '../context.js';
import { sweep } from './rows.js';

const intervalMs = 10 * 60_000;
const batchSize = 1_000;
const maxBatches = 20;

/** Forgets keys after their 24 hours, a bounded number at a time, until the lifecycle ends. */
export function startIdempotencySweep(context: Pick<Context, 'pool' | 'log' | 'lifecycle'>): void {
  let sweeping: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    sweeping = sweepOnce(context);
  }, intervalMs);
  timer.unref();
  context.lifecycle.onShutdown('idempotency sweep', () => {
    clearInterval(timer);
    return sweeping;
  });
}

export async function sweepOnce({ pool, log }: Pick<Context, 'pool' | 'log'>): Promise<void> {
  try {
    for (let batch = 0; batch < maxBatches; batch += 1) {
      if ((await sweep(pool, batchSize)) < batchSize) return;
    }
  } catch (error) {
    log.warn({ err: error }, 'old idempotency keys could not be removed; next time again');
  }
}
