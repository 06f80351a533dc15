/**
 * Does a piece of work under a signal that fires after so many milliseconds or when the outer one
 * does, and leaves neither a timer nor a listener behind.
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
    // fetch may tell an abort in words of its own.
    throw controller.signal.aborted ? controller.signal.reason : error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

/** No answer within the time of an attempt. */
export class TimedOut extends Error {
  override readonly name = 'TimedOut';
}
