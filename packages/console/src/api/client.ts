import { parseExact } from '../exact-json.js';
import type { Session } from '../session.js';
import { foreignAnswer, Problem, problemOf } from './problem.js';
import { ServiceClock } from './service-clock.js';

/** Longer than the service's own deadlines. */
const deadlineMs = 15_000;

/** The public API with one credential: the console can do nothing that the API does not allow. */
export interface Api {
  get<T>(path: string, signal?: AbortSignal): Promise<T>;
  /** `bodyText` is the JSON text of the body. */
  send<T>(method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, bodyText?: string): Promise<T>;
  /** The time of the service, in epoch milliseconds, as its answers tell it. */
  now(): number;
}

/** `hear` is called with every problem before the call rejects with it. */
export function createApi(
  session: Session,
  hear: (problem: Problem, path: string) => void = () => {},
): Api {
  const clock = new ServiceClock();
  const heard = async <T>(path: string, init: RequestInit): Promise<T> => {
    try {
      return await call<T>({ session, clock }, path, init);
    } catch (thrown) {
      if (thrown instanceof Problem) hear(thrown, path);
      throw thrown;
    }
  };
  return {
    get: (path, signal) => heard(path, { method: 'GET', ...(signal && { signal }) }),
    send: (method, path, bodyText) =>
      heard(path, { method, ...(bodyText !== undefined && { body: bodyText }) }),
    now: () => clock.now(),
  };
}

interface Parts {
  session: Session;
  clock: ServiceClock;
}

async function call<T>({ session, clock }: Parts, path: string, init: RequestInit): Promise<T> {
  const timeout = AbortSignal.timeout(deadlineMs);
  const sent: RequestInit = {
    ...init,
    headers: {
      'X-API-Key': session.apiKey,
      ...(session.principalId !== null && { 'X-Principal-Id': session.principalId }),
      ...(init.body !== undefined && { 'Content-Type': 'application/json' }),
    },
    signal: init.signal ? AbortSignal.any([init.signal, timeout]) : timeout,
    // The API key is the only credential: no cookies are sent or stored.
    credentials: 'omit',
    cache: 'no-store',
    redirect: 'error',
  };
  const response = await reached(`/api/v1${path}`, sent, clock);
  const requestId = response.headers.get('X-Request-ID');
  const body = parsed(response.text);
  if (!response.ok) throw problemOf(response.status, body, requestId);
  if (body === undefined && response.text !== '') throw foreignAnswer(response.status, requestId);
  return body as T;
}

/** The whole answer; `fetch` reports a network failure as a TypeError, as code does a mistake. */
async function reached(url: string, init: RequestInit, clock: ServiceClock) {
  try {
    const response = await fetch(url, init);
    clock.hear(response.headers);
    const { ok, status, headers } = response;
    return { ok, status, headers, text: await response.text() };
  } catch (thrown) {
    if (thrown instanceof TypeError) throw new Problem('The service is unreachable.');
    throw thrown;
  }
}

function parsed(text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
}
