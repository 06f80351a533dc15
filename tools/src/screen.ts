/** Prints one line of progress. */
export function say(text: string): void {
  process.stdout.write(`- ${text}\n`);
}

/**
 * A step that failed for a reason that the user can fix. `advice` says how; neither text may
 * contain a secret.
 */
export class Failure extends Error {
  constructor(
    what: string,
    readonly advice: string,
  ) {
    super(what);
    this.name = 'Failure';
  }
}

/** Prints what was done and how long it took, once it is done. */
export async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const started = performance.now();
  const result = await work();
  say(`${what} (${((performance.now() - started) / 1000).toFixed(1)} s)`);
  return result;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
