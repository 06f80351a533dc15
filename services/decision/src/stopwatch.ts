/** Returns a function for the elapsed milliseconds, with the two decimals of `processing_time_ms`. */
export function startStopwatch(): () => number {
  const startedAt = performance.now();
  return () => Math.round((performance.now() - startedAt) * 100) / 100;
}
