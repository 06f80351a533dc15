import { setTimeout as timer } from 'node:timers/promises';

/** Waits; an abort rejects with the reason of the signal. */
export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await timer(ms, undefined, { signal }).catch((error: unknown) => {
    signal?.throwIfAborted();
    throw error;
  });
}
