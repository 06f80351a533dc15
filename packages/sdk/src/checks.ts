import { ConfigurationError } from './errors.js';

/** Node's own error message for an invalid header contains its value, which may be a key. */
export function checkHeader(name: string, value: unknown): void {
  if (typeof value === 'string' && /^[\x21-\x7e]{1,512}$/.test(value)) return;
  const what = typeof value === 'string' && value !== '' ? 'has characters that no' : 'is no';
  throw new ConfigurationError(`${name} ${what} ${name} has; is there a space or a line break?`);
}

const dayMs = 86_400_000;
const ranges = {
  timeoutMs: [1, 600_000],
  maxRetries: [0, 10],
  forMs: [1, dayMs],
  everyMs: [1, dayMs],
} as const;

export function checkNumber(name: keyof typeof ranges, value: number): void {
  const [least, most] = ranges[name];
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw new ConfigurationError(`${name} must be a whole number from ${least} to ${most}.`);
}
