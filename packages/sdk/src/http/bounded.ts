/**
 * Runs work with a signal that aborts after a timeout or with the outer signal, and cleans up its
 * timer and listener.
 */
export async function bounded<T>(
  { ms, signal }: { ms: number; signal: AbortSignal | undefined },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const abort = (): void => controller.abort(signal?.reason);
  const timer = setTimeout(() => controller.abort(new TimedOut()), ms);
  signal?.addEventListener('abort', abort, { once: true });
  try {
    return await work(controller.signal);
  } catch (error) {
    // A custom fetch may reject with an error of its own on abort.
    throw controller.signal.aborted ? controller.signal.reason : error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

/** No response within the timeout of an attempt. */
export class TimedOut extends Error {
  override readonly name = 'TimedOut';
}
