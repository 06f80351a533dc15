import { isoTime } from '@countersign/kernel/clock';

const form = /^\d{4}-\d{2}-\d{2}$/;

/** A day of the calendar as ISO 8601 writes it; such days compare as texts. */
export function isDay(value: unknown): value is string {
  if (typeof value !== 'string' || !form.test(value)) return false;
  const time = Date.parse(`${value}T00:00:00Z`);
  return !Number.isNaN(time) && isoTime(time).startsWith(value);
}

/** In UTC, which is the same day for everybody who asks. */
export function dayOf(epochMs: number): string {
  return isoTime(epochMs).slice(0, 10);
}
