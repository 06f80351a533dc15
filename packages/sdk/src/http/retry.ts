const firstBackoffMs = 250;
const maxBackoffMs = 5_000;

/**
 * Exponential backoff up to a maximum, with a random reduction of at most half: clients that failed
 * together do not retry together, but all wait long enough for a service to restart.
 */
export function backoffMs(retry: number, random: () => number = Math.random): number {
  const whole = Math.min(maxBackoffMs, firstBackoffMs * 2 ** (retry - 1));
  return (whole * (1 + random())) / 2;
}

/**
 * Milliseconds of a `Retry-After` header, given as seconds or as a date; null if invalid or absent.
 */
export function retryAfterMs(header: string | null, now: number): number | null {
  if (header === null) return null;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000;
  const at = /^[A-Z][a-z]{2},/.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}
