const firstBackoffMs = 200;
const mostBackoffMs = 5_000;

/** Full jitter: those that failed together do not come back together. */
export function backoffMs(retry: number, random: () => number = Math.random): number {
  return random() * Math.min(mostBackoffMs, firstBackoffMs * 2 ** (retry - 1));
}

/** Of a `Retry-After` header, as seconds or as a date; null where it says nothing. */
export function retryAfterMs(header: string | null, now: number): number | null {
  if (header === null) return null;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000;
  const at = /^[A-Z][a-z]{2},/.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}
