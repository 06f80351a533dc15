/** First try plus four retries. */
export const maxAttempts = 5;

/** A webhook is switched off at this many failed events in a row. */
export const maxConsecutiveFailures = 10;

/** How one attempt ended: with a status, or with the word for why there was none. */
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

/** Errors that a retry would meet again. */
const finalErrors: ReadonlySet<AttemptError> = new Set<AttemptError>([
  'URL_REFUSED',
  'ADDRESS_REFUSED',
]);

/** 2xx is delivered; network errors, timeouts, 408, 423, 425, 429 and 5xx are worth another try. */
export function verdictOf(result: Pick<AttemptResult, 'statusCode' | 'error'>): Verdict {
  const { statusCode, error } = result;
  if (statusCode === null) return error !== null && finalErrors.has(error) ? 'failed' : 'retry';
  if (statusCode >= 200 && statusCode < 300) return 'delivered';
  const again = retriedStatuses.has(statusCode) || (statusCode >= 500 && statusCode < 600);
  return again ? 'retry' : 'failed';
}

/**
 * Milliseconds until the next attempt of a series of which `attemptsLeft` remain: 1, 2, 4, 8 times
 * the base, with a jitter of a fifth to both sides.
 */
export function backoffMs(attemptsLeft: number, baseMs: number, random = Math.random): number {
  const retry = maxAttempts - attemptsLeft;
  const spread = 0.8 + 0.4 * random();
  return Math.round(baseMs * 2 ** (retry - 1) * spread);
}
