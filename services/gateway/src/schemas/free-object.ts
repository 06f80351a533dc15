import { z } from 'zod';
import { JsonNumber } from '../json/number.js';
import { report, rule, typeRule } from './rule.js';

const maxBytes = 16 * 1024;
const maxDepth = 8;

// Given twice below: the generator looks at a refined schema and at the one it refines.
const openForm = { type: 'object' as const, additionalProperties: true };

type FreeObject = Record<string, unknown>;

/**
 * An object whose keys are the caller's own: at most 16 KiB of JSON, 8 levels deep. It is kept as
 * it was sent, so a number that would be rounded on its way, such as a 64-bit id, is an error.
 */
export function freeObject(description: string) {
  return z
    .custom<FreeObject>(isObject, typeRule('invalid_type', 'must be an object'))
    .meta({ override: openForm })
    .refine(
      (value) => depthWithin(value, maxDepth),
      rule('too_deep', `must be nested at most ${maxDepth} levels deep`),
    )
    .refine(
      (value) => byteLength(value) <= maxBytes,
      rule('too_large', 'must be at most 16 KiB of JSON'),
    )
    .superRefine((value, context) => {
      const path = pathOfRounded(value);
      if (path?.length) report(context, { path, ...rounded });
    })
    .meta({
      description: `${description} At most 16 KiB of JSON, ${maxDepth} levels deep.`,
      override: openForm,
    });
}

const rounded = {
  type: 'inexact_number',
  message: 'has more digits than a double can hold: send it as a string',
};

/** Of the first number that a double cannot hold, empty for the value itself; null if none. */
function pathOfRounded(value: unknown): Array<string | number> | null {
  if (value instanceof JsonNumber) return [];
  if (typeof value !== 'object' || value === null) return null;
  for (const [key, child] of Object.entries(value)) {
    const rest = pathOfRounded(child);
    if (rest) return [key, ...rest];
  }
  return null;
}

function isObject(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof JsonNumber)
  );
}

/** Stops at the limit, so that the depth of what is checked cannot overflow the check. */
function depthWithin(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null || value instanceof JsonNumber) return true;
  return levels > 0 && Object.values(value).every((child) => depthWithin(child, levels - 1));
}

function byteLength(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
