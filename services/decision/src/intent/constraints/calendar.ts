import { isoTime } from '@countersign/kernel/clock';

const form = /^\d{4}-\d{2}-\d{2}$/;

/** An ISO 8601 calendar date; two of them can be compared as strings. */
export function isDay(value: unknown): value is string {
  if (typeof value !== 'string' || !form.test(value)) return false;
  const time = Date.parse(`${value}T00:00:00Z`);
  return !Number.isNaN(time) && isoTime(time).startsWith(value);
}

/** In UTC: a mandate carries no time zone. */
export function dayOf(epochMs: number): string {
  return isoTime(epochMs).slice(0, 10);
}
