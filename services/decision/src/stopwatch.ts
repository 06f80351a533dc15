/** Returns a function for the elapsed milliseconds, rounded as `processing_time_ms` is. */
export function startStopwatch(): () => number {
  const startedAt = performance.now();
  return () => Math.round((performance.now() - startedAt) * 100) / 100;
}
