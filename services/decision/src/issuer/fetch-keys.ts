import type { Environment } from '@countersign/kernel/environment';
import type { Getter } from '@countersign/runtime/outgoing/guarded-get';
import type { UrlGuard } from '@countersign/runtime/outgoing/url-guard';
import { type KeySet, readKeySet } from './key-set.js';

/** Rejects with an Error whose message is for the log. */
export type FetchKeys = (uri: string) => Promise<KeySet>;

interface KeyFetcher {
  fetch: FetchKeys;
  close(): Promise<void>;
}

const timeoutMs = 3_000;
const maxBytes = 256 * 1024;

/** The HTTP client is loaded with the first fetch: most installations configure keys directly. */
export function createKeyFetcher(
  environment: Environment,
  guard: UrlGuard,
  open = openGetter,
): KeyFetcher {
  let opening: Promise<Getter> | null = null;
  const openAgain = async () => {
    try {
      return await open(guard);
    } catch (error) {
      // A process that had no descriptor left to load it with may have one at the next fetch.
      opening = null;
      throw error;
    }
  };
  return {
    fetch: async (uri) => {
      const problem = guard.mayCall(uri, environment);
      if (problem) throw new Error(`the address is refused: ${problem}`);
      opening ??= openAgain();
      const getter = await opening;
      return readKeySet(JSON.parse(await getter.get(uri)));
    },
    close: async () => (await opening)?.close(),
  };
}

export async function openGetter(guard: UrlGuard): Promise<Getter> {
  const { createGuardedGet } = await import('@countersign/runtime/outgoing/guarded-get');
  return createGuardedGet({ guard, timeoutMs, maxBytes });
}
