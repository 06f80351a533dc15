import type { Histogram, Registry } from 'prom-client';

/** As long as any timer may be set. */
const neverMs = 2 ** 31 - 1;

/**
 * For the default metrics: Node's own monitor of the event loop wakes a process a hundred times a
 * second to see whether it wakes in time, which is half of what a process at rest costs.
 */
export const withoutLoopMonitor = { eventLoopMonitoringPrecision: neverMs };

/** What the default metrics tell of that monitor, which is nothing then. */
const monitored = ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'];

export function forgetLoopMonitor(registry: Registry): void {
  for (const figure of monitored) {
    registry.removeSingleMetric(`nodejs_eventloop_lag_${figure}_seconds`);
  }
}

const sampleEveryMs = 250;

/** Observes, for as long as the process lives, how much later than due a timer is called. */
export function watchEventLoop(delays: Histogram): void {
  let due = performance.now() + sampleEveryMs;
  const timer = setInterval(() => {
    const now = performance.now();
    delays.observe(Math.max(0, now - due) / 1_000);
    due = now + sampleEveryMs;
  }, sampleEveryMs);
  timer.unref();
}
