import { isKeptTime, isoTime } from '@countersign/kernel/clock';
import { z } from 'zod';
import { rule } from './rule.js';

const exampleTime = '2026-11-21T09:30:00.000Z';

/** An ISO 8601 date and time with its zone; normalised to UTC with milliseconds. */
export function datetime() {
  const error = 'must be an ISO 8601 date and time with a time zone, such as 2026-11-21T09:30:00Z';
  return z
    .string({ error })
    .overwrite(spelledOut)
    .pipe(z.iso.datetime({ offset: true, error }))
    .refine(
      (value) => isKept(Date.parse(value)),
      rule('out_of_range', 'must be from the year 0001 to the year 9999 in UTC'),
    )
    .transform((value) => isoTime(Date.parse(value)))
    .meta({ override: (context: { jsonSchema: object }) => describeTime(context.jsonSchema) });
}

const shortForms = /^(.+T\d\d:\d\d)(:\d\d(?:\.\d+)?)?(?:Z|([+-]\d\d)(?::?(\d\d))?)$/;

/**
 * Adds what ISO 8601 allows to leave out and libraries do leave out: seconds (Java's OffsetDateTime
 * when they are zero), and the colon (Python's %z) or the minutes of an offset.
 */
function spelledOut(value: string): string {
  const [, minutes, seconds = ':00', hours, minutesOfHour = '00'] = shortForms.exec(value) ?? [];
  if (minutes === undefined) return value;
  return `${minutes}${seconds}${hours === undefined ? 'Z' : `${hours}:${minutesOfHour}`}`;
}

/** Of what is no time at all the format has told already. */
function isKept(epochMs: number): boolean {
  return Number.isNaN(epochMs) || isKeptTime(epochMs);
}

/** The format says it all; the pattern behind it is for machines. */
function describeTime(jsonSchema: object): void {
  Object.assign(jsonSchema, { type: 'string', format: 'date-time', examples: [exampleTime] });
  Object.assign(jsonSchema, { pattern: undefined });
}

/** A time in an answer: always UTC with milliseconds. */
export function answeredTime() {
  return z.string().meta({ format: 'date-time', examples: [exampleTime] });
}
