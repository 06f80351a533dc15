/** Milliseconds since the epoch. Injected wherever a decision depends on the time. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

/** ISO 8601 in UTC with milliseconds, the only spelling of a time that leaves a process. */
export function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
