/** Milliseconds since it was started, with two decimals: what `processing_time_ms` says. */
export function startStopwatch(): () => number {
  const startedAt = performance.now();
  return () => Math.round((performance.now() - startedAt) * 100) / 100;
}
