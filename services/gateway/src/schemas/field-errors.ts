import type { FieldError } from '@countersign/kernel/fault';
import type { z } from 'zod';
import { fieldName, shortName } from '../errors/field-name.js';

type Issue = z.core.$ZodIssue;

/**
 * Every field that broke the schema, in the terms of `details.errors`: `field` dotted with indexes,
 * `type` the rule's own where it has one. `input` is what was parsed: it tells missing from wrong.
 * Each is made when it is asked for: there may be more of them than anybody asks for.
 */
export function* fieldErrors(error: z.ZodError, input: unknown): Generator<FieldError> {
  for (const issue of error.issues) yield* explain(issue, input);
}

function* explain(issue: Issue, input: unknown): Generator<FieldError> {
  const field = fieldName(issue.path);
  if (issue.code === 'unrecognized_keys') {
    for (const key of issue.keys) {
      const name = shortName(key);
      yield {
        field: field === '' ? name : `${field}.${name}`,
        message: 'is not a field of this request',
        type: 'unrecognized_keys',
      };
    }
  } else if (isMissing(issue, input)) yield { field, message: 'is required', type: 'required' };
  else yield { field, message: issue.message, type: typeOf(issue) };
}

function typeOf(issue: Issue): string {
  if (issue.code !== 'custom') return issue.code;
  const type: unknown = issue.params?.type;
  return typeof type === 'string' ? type : 'invalid';
}

/** A rule of its own says more than that a field is missing. */
function isMissing(issue: Issue, input: unknown): boolean {
  const aboutType = issue.code === 'invalid_type' || issue.code === 'invalid_value';
  const aboutForm = issue.code === 'custom' && formTypes.has(typeOf(issue));
  return (
    (aboutType || aboutForm) && issue.path.length > 0 && valueAt(input, issue.path) === undefined
  );
}

/** Types of the checks that stand in for a type check where a schema is hand-made. */
const formTypes: ReadonlySet<string> = new Set(['not_decimal', 'invalid_type']);

/** Undefined where the path leads nowhere. */
export function valueAt(input: unknown, path: PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null
        ? (value as Record<PropertyKey, unknown>)[key]
        : undefined,
    input,
  );
}
