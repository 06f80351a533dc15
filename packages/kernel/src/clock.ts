/** Milliseconds since the epoch. Injected wherever a decision depends on the time. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

/** ISO 8601 in UTC with milliseconds, the only format of a time that leaves a process. */
export function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

const firstKept = Date.parse('0001-01-01T00:00:00.000Z');
const lastKept = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * Whether a time lies in the years 0001 to 9999, which JavaScript and databases format alike. False
 * for NaN.
 */
export function isKeptTime(epochMs: number): boolean {
  return epochMs >= firstKept && epochMs <= lastKept;
}
