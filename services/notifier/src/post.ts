import { isIP, type Socket } from 'node:net';
import { Agent, buildConnector, request } from 'undici';
import type { AttemptError } from './retry.js';
import { AddressRefused, NameNotResolved, type UrlGuard } from './safe-url.js';

export interface PosterOptions {
  guard: UrlGuard;
  timeoutMs: number;
  connectTimeoutMs: number;
  /** PEM of an authority to trust instead of the system's. */
  ca?: string | undefined;
}

export interface Posting {
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
  /** Never rejects: how it ended is the result. Redirects are answers like any other. */
  post(posting: Posting): Promise<PostResult>;
  /** Ends what is still under way, as if the connections had broken. */
  close(): Promise<void>;
}

const maxResponseBytes = 16 * 1024;
const responseReadMs = 1_000;
/** Shorter than the idle time of common servers, so that they seldom close under a request. */
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
    async post({ url, headers, body }) {
      const started = performance.now();
      const took = (): number => Math.round(performance.now() - started);
      const overtime = new AbortController();
      const timer = setTimeout(() => overtime.abort(), timeoutMs);
      try {
        const { signal } = overtime;
        const answer = await request(url, {
          method: 'POST',
          headers,
          body,
          signal,
          dispatcher: agent,
        });
        const durationMs = took();
        // The status decides; the body is read only to leave the connection usable.
        const readUntil = AbortSignal.timeout(responseReadMs);
        void answer.body.dump({ limit: maxResponseBytes, signal: readUntil }).catch(() => null);
        return { statusCode: answer.statusCode, error: null, durationMs };
      } catch (error) {
        const word = overtime.signal.aborted ? 'TIMEOUT' : errorWord(error);
        return { statusCode: null, error: word, durationMs: took() };
      } finally {
        clearTimeout(timer);
      }
    },
    close: () => agent.destroy(),
  };
}

/**
 * The address that is dialled is the address that was checked: names are resolved by the guard and
 * only its addresses are handed to the socket. Literals, for which no lookup takes place, are
 * checked before, and the other end of the open connection once more after.
 */
function guardedConnector(options: PosterOptions): buildConnector.connector {
  const { guard, connectTimeoutMs: timeout, ca } = options;
  const shared = { timeout, maxCachedSessions: 0, autoSelectFamily: true, ...(ca && { ca }) };
  const exempt = buildConnector(shared);
  const guarded = buildConnector({ ...shared, lookup: guardedLookup(guard) });
  return (target, callback) => {
    const host = target.hostname.includes(':') ? `[${target.hostname}]` : target.hostname;
    const port = target.port || (target.protocol === 'https:' ? '443' : '80');
    if (guard.isExempt(host, port)) return exempt(target, callback);
    if (isIP(target.hostname) !== 0 && !guard.isPublic(target.hostname)) {
      return callback(new AddressRefused(), null);
    }
    guarded(target, (...[error, socket]) => {
      if (error) return callback(error, null);
      if (guard.isPublic((socket as Socket).remoteAddress ?? '')) return callback(null, socket);
      socket.destroy();
      callback(new AddressRefused(), null);
    });
  };
}

type LookupCallback = (
  error: Error | null,
  address: string | Array<{ address: string; family: number }>,
  family?: number,
) => void;

function guardedLookup(guard: UrlGuard) {
  return (name: string, options: { all?: boolean | undefined }, callback: LookupCallback): void => {
    guard.publicAddresses(name).then(
      (addresses) => {
        const found = addresses.map((address) => ({ address, family: isIP(address) }));
        const [first] = found;
        if (options.all || !first) callback(null, found);
        else callback(null, first.address, first.family);
      },
      (error: Error) => callback(error, []),
    );
  };
}

const nameCodes: ReadonlySet<string> = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL']);
const tlsCodes = /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH)/;

/** One word that tells the owner of the endpoint what happened and nothing about our network. */
function errorWord(error: unknown): AttemptError {
  if (error instanceof AddressRefused) return 'ADDRESS_REFUSED';
  if (error instanceof NameNotResolved) return 'NAME_NOT_RESOLVED';
  const { code = '' } = error as { code?: string };
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return 'CONNECT_TIMEOUT';
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'ETIMEDOUT') return 'TIMEOUT';
  if (nameCodes.has(code)) return 'NAME_NOT_RESOLVED';
  return tlsCodes.test(code) ? 'TLS_FAILED' : 'CONNECTION_FAILED';
}
