import { guardedConnector } from '@countersign/runtime/outgoing/guarded-connector';
import {
  AddressRefused,
  NameNotResolved,
  type UrlGuard,
} from '@countersign/runtime/outgoing/url-guard';
import { Agent, request } from 'undici';
import type { AttemptError } from './retry.js';

interface PosterOptions {
  guard: UrlGuard;
  timeoutMs: number;
  connectTimeoutMs: number;
  /** PEM of a CA to trust instead of the system's. */
  ca?: string | undefined;
}

interface Posting {
  url: string;
  headers: Record<string, string>;
  body: Buffer;
}

export interface PostResult {
  statusCode: number | null;
  error: AttemptError | null;
  durationMs: number;
}

export interface Poster {
  /** Never rejects: the result contains the error. Redirects are not followed. */
  post(posting: Posting): Promise<PostResult>;
  /** Aborts requests in flight, as if their connections had broken. */
  close(): Promise<void>;
}

const maxResponseBytes = 16 * 1024;
const responseReadMs = 1_000;
/**
 * Shorter than the idle timeout of common servers, so that they rarely close a connection in use.
 */
const keepAliveMs = 4_000;

export function createPoster(options: PosterOptions): Poster {
  const { timeoutMs } = options;
  const agent = new Agent({
    connect: guardedConnector(options),
    connections: null,
    pipelining: 1,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: keepAliveMs,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  });
  return {
    post: (posting) => post(posting, agent, timeoutMs),
    close: () => agent.destroy(),
  };
}

async function post(
  { url, headers, body }: Posting,
  dispatcher: Agent,
  timeoutMs: number,
): Promise<PostResult> {
  const started = performance.now();
  const took = (): number => Math.round(performance.now() - started);
  const overtime = new AbortController();
  const timer = setTimeout(() => overtime.abort(), timeoutMs);
  try {
    const { signal } = overtime;
    const answer = await request(url, { method: 'POST', headers, body, signal, dispatcher });
    const durationMs = took();
    // Only the status matters; the body is read so that the connection can be reused.
    const readUntil = AbortSignal.timeout(responseReadMs);
    void answer.body.dump({ limit: maxResponseBytes, signal: readUntil }).catch(() => null);
    return { statusCode: answer.statusCode, error: null, durationMs };
  } catch (error) {
    const word = overtime.signal.aborted ? 'TIMEOUT' : errorWord(error);
    return { statusCode: null, error: word, durationMs: took() };
  } finally {
    clearTimeout(timer);
  }
}

const nameCodes: ReadonlySet<string> = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL']);
const tlsCodes = /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH)/;

/** A word that tells the owner of the endpoint what happened, without details of our network. */
function errorWord(error: unknown): AttemptError {
  if (error instanceof AddressRefused) return 'ADDRESS_REFUSED';
  if (error instanceof NameNotResolved) return 'NAME_NOT_RESOLVED';
  const { code = '' } = error as { code?: string };
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return 'CONNECT_TIMEOUT';
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'ETIMEDOUT') return 'TIMEOUT';
  if (nameCodes.has(code)) return 'NAME_NOT_RESOLVED';
  return tlsCodes.test(code) ? 'TLS_FAILED' : 'CONNECTION_FAILED';
}
