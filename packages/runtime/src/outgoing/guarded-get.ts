import { Agent, request } from 'undici';
import { guardedConnector } from './guarded-connector.js';
import type { UrlGuard } from './url-guard.js';

export interface GuardedGetOptions {
  guard: UrlGuard;
  timeoutMs: number;
  /** Longer responses are rejected. */
  maxBytes: number;
}

export interface Getter {
  /**
   * The body of a 200 response; rejects with a reason for the log otherwise. Redirects are not
   * followed.
   */
  get(url: string): Promise<string>;
  close(): Promise<void>;
}

/** Fetches documents that third parties publish, from public addresses only. */
export function createGuardedGet({ guard, timeoutMs, maxBytes }: GuardedGetOptions): Getter {
  const connect = guardedConnector({ guard, connectTimeoutMs: timeoutMs });
  const dispatcher = new Agent({ connect, connections: 1, pipelining: 1 });
  return {
    get: async (url) => {
      const signal = AbortSignal.timeout(timeoutMs);
      const { statusCode, body } = await request(url, { signal, dispatcher });
      if (statusCode !== 200) {
        await body.dump({ limit: maxBytes });
        throw new Error(`it answered ${statusCode}`);
      }
      return readBounded(body, maxBytes);
    },
    close: () => dispatcher.destroy(),
  };
}

async function readBounded(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body) {
    bytes += part.length;
    if (bytes > maxBytes) throw new Error(`it answered more than ${maxBytes} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
