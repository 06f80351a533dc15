import { z } from 'zod';
import { JsonNumber } from '../json-number.js';
import { rule, typeRule } from './rule.js';

const maxBytes = 16 * 1024;
const maxDepth = 8;

// Given twice below: the generator looks at a refined schema and at the one it refines.
const openForm = { type: 'object' as const, additionalProperties: true };

export type FreeObject = Record<string, unknown>;

/** An object whose keys are the caller's own: at most 16 KiB of JSON, 8 levels deep. */
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
    .meta({
      description: `${description} At most 16 KiB of JSON, ${maxDepth} levels deep.`,
      override: openForm,
    });
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
