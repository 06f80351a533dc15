import { z } from 'zod';
import { rule } from './rule.js';

/**
 * Free text of `min` to `max` characters, counted as code points. Characters that no text may
 * contain are found by the parser of the body, for every field alike.
 */
export function text(max: number, min = 1) {
  return z
    .string()
    .refine(
      (value) => lengthWithin(value, min, max),
      rule('invalid_length', lengthMessage(min, max)),
    )
    .meta({ minLength: min, maxLength: max });
}

/** Text that is compared with other text, and so is kept in one of its spellings (NFC). */
export function comparedText(max: number) {
  return text(max)
    .transform((value) => value.normalize('NFC'))
    .meta({ override: { type: 'string', minLength: 1, maxLength: max } });
}

/** A message for what is no text in ASCII, where most other texts of a form would be right. */
export function inAscii(otherwise: string, message: string) {
  return ({ input }: { input?: unknown }) =>
    typeof input === 'string' && /[^\0-\x7f]/.test(input) ? message : otherwise;
}

/** Text of a fixed form; the message says the form in words. */
export function form(pattern: RegExp, message: string | ReturnType<typeof inAscii>) {
  return z.string().regex(pattern, { error: message });
}

function lengthWithin(value: string, min: number, max: number): boolean {
  // Code units bound code points from above; counting is for the rare text between the two.
  if (value.length < min) return false;
  if (value.length <= max) return true;
  if (value.length > 2 * max) return false;
  return [...value].length <= max;
}

function lengthMessage(min: number, max: number): string {
  return min === 0
    ? `must have at most ${max} characters`
    : `must have ${min} to ${max} characters`;
}
