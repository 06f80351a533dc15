const firstBackoffMs = 250;
const maxBackoffMs = 5_000;

/**
 * Twice as long each time, up to a bound, of which chance takes away at most half: those that
 * failed together do not come back together, and yet a service that starts again is waited for.
 */
export function backoffMs(retry: number, random: () => number = Math.random): number {
  const whole = Math.min(maxBackoffMs, firstBackoffMs * 2 ** (retry - 1));
  return (whole * (1 + random())) / 2;
}

/** Of a `Retry-After` header, as seconds or as a date; null where it says nothing. */
export function retryAfterMs(header: string | null, now: number): number | null {
  if (header === null) return null;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000;
  const at = /^[A-Z][a-z]{2},/.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}
