/** One line of progress. */
export function say(text: string): void {
  process.stdout.write(`- ${text}\n`);
}

/**
 * A step that failed for a reason the person at the keyboard can do something about.
 * `advice` says what; neither text may carry a secret.
 */
export class Failure extends Error {
  constructor(
    what: string,
    readonly advice: string,
    readonly exitCode = 1,
  ) {
    super(what);
    this.name = 'Failure';
  }
}

/** Says what was done and how long it took, once it is done. */
export async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const started = performance.now();
  const result = await work();
  say(`${what} (${((performance.now() - started) / 1000).toFixed(1)} s)`);
  return result;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
