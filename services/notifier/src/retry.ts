/** First attempt plus four retries. */
export const maxAttempts = 5;

/** A webhook is disabled after this many consecutive failed events. */
export const maxConsecutiveFailures = 10;

/** Result of one attempt: a status, or the error for which there is none. */
export interface AttemptResult {
  /** ISO time at which the attempt was made. */
  at: string;
  statusCode: number | null;
  error: AttemptError | null;
  durationMs: number;
}

export type AttemptError =
  | 'TIMEOUT'
  | 'CONNECT_TIMEOUT'
  | 'CONNECTION_FAILED'
  | 'NAME_NOT_RESOLVED'
  | 'TLS_FAILED'
  | 'URL_REFUSED'
  | 'ADDRESS_REFUSED'
  | 'SECRET_UNAVAILABLE';

export type Verdict = 'delivered' | 'retry' | 'failed';

const retriedStatuses: ReadonlySet<number> = new Set([408, 423, 425, 429]);

/** Errors that a retry cannot cure. */
const finalErrors: ReadonlySet<AttemptError> = new Set<AttemptError>([
  'URL_REFUSED',
  'ADDRESS_REFUSED',
]);

/** 2xx is delivered; network errors, timeouts, 408, 423, 425, 429 and 5xx are retried. */
export function verdictOf(result: Pick<AttemptResult, 'statusCode' | 'error'>): Verdict {
  const { statusCode, error } = result;
  if (statusCode === null) return error !== null && finalErrors.has(error) ? 'failed' : 'retry';
  if (statusCode >= 200 && statusCode < 300) return 'delivered';
  const again = retriedStatuses.has(statusCode) || (statusCode >= 500 && statusCode < 600);
  return again ? 'retry' : 'failed';
}

/**
 * Milliseconds until the next attempt of a series with `attemptsLeft` remaining: 1, 2, 4, 8 times
 * the base, with a random jitter of ±20 %.
 */
export function backoffMs(attemptsLeft: number, baseMs: number, random = Math.random): number {
  const retry = maxAttempts - attemptsLeft;
  const spread = 0.8 + 0.4 * random();
  return Math.round(baseMs * 2 ** (retry - 1) * spread);
}
