const parentPollMs = 1_000;

export interface Ending {
  /** Whether a shutdown was requested. */
  requested: boolean;
  /** Never resolves: the process ends first. */
  forever: Promise<never>;
}

/**
 * Calls `stop` once, on the first request to end, and then exits with `code`. Closing the terminal
 * counts as a request, and so does the death of the npm process that started this one.
 */
export function stopOnSignals(stop: () => Promise<void>, code = 0): Ending {
  const ending: Ending = { requested: false, forever: new Promise(() => {}) };
  const end = (): void => {
    if (ending.requested) return;
    ending.requested = true;
    void stop().finally(() => process.exit(code));
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, end);
  // The terminal may be closed before this process ends.
  process.stdout.on('error', () => {});
  process.stderr.on('error', () => {});
  if (process.env.npm_lifecycle_event === undefined) return ending;
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) end();
  }, parentPollMs).unref();
  return ending;
}
