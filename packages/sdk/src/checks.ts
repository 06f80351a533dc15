import { ConfigurationError } from './errors.js';

const maxHeaderLength = 512;

/** Node's own error message for an invalid header contains its value, which may be a key. */
export function checkHeader(name: string, value: unknown): void {
  const problem = headerProblem(value);
  if (problem) throw new ConfigurationError(`${name} ${problem}`);
}

function headerProblem(value: unknown): string | null {
  if (typeof value !== 'string') return 'must be text.';
  if (value === '') return 'is empty; is the variable set that it is from?';
  if (value.length > maxHeaderLength) return `has more than ${maxHeaderLength} characters.`;
  const isSent = /^[\x21-\x7e]+$/.test(value);
  return isSent ? null : 'must be visible ASCII; is there a space or a line break in it?';
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
