import type { Histogram, Registry } from 'prom-client';

/** The longest delay that a timer can have. */
const neverMs = 2 ** 31 - 1;

/**
 * For the default metrics: Node's event loop monitor wakes a process a hundred times a second,
 * which is half of the CPU time of an idle process, so it is disabled.
 */
export const withoutLoopMonitor = { eventLoopMonitoringPrecision: neverMs };

/** The default metrics of that monitor, which would be empty. */
const monitored = ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'];

export function forgetLoopMonitor(registry: Registry): void {
  for (const figure of monitored) {
    registry.removeSingleMetric(`nodejs_eventloop_lag_${figure}_seconds`);
  }
}

const sampleEveryMs = 250;

/** Observes how late timers fire, for the lifetime of the process. */
export function watchEventLoop(delays: Histogram): void {
  let due = performance.now() + sampleEveryMs;
  const timer = setInterval(() => {
    const now = performance.now();
    delays.observe(Math.max(0, now - due) / 1_000);
    due = now + sampleEveryMs;
  }, sampleEveryMs);
  timer.unref();
}
