import type { ZodSafeParseResult, ZodType, z } from 'zod';
import { valueAt } from './field-errors.js';
import { inWords } from './words.js';

/** The result of a check, and the input that its errors are about. */
interface Checked {
  result: ZodSafeParseResult<unknown>;
  input: unknown;
}

/** Checks an input in which null is taken only where the schema takes it. */
export function checkAsSent(schema: ZodType, input: unknown): Checked {
  return { result: schema.safeParse(input, inWords), input };
}

/**
 * Checks a body in which a member that is null counts as absent, unless the schema takes null: many
 * clients write null for what they leave out, and answers have it for what is not set. It costs
 * nothing where the schema finds no mistake.
 */
export function checkWithoutNulls(schema: ZodType, input: unknown): Checked {
  const asSent = checkAsSent(schema, input);
  if (asSent.result.success) return asSent;
  const refused = nullMembers(asSent.result.error, input);
  return refused.size === 0 ? asSent : checkAsSent(schema, without(input, refused));
}

/** Names of members, by the object that has them. */
type Members = Map<object, Set<PropertyKey>>;

/** The members that are null where the schema found a mistake. */
function nullMembers(error: z.ZodError, input: unknown): Members {
  const found: Members = new Map();
  for (const { path } of error.issues) {
    const name = path.at(-1);
    const holder = valueAt(input, path.slice(0, -1));
    if (name === undefined || !isObject(holder) || holder[name] !== null) continue;
    found.set(holder, (found.get(holder) ?? new Set()).add(name));
  }
  return found;
}

/** A copy of the value, as deep as members are left out. */
function without(value: unknown, members: Members): unknown {
  if (Array.isArray(value)) return value.map((item) => without(item, members));
  if (!isObject(value)) return value;
  const left = members.get(value);
  const kept = Object.entries(value).filter(([name]) => !left?.has(name));
  return Object.fromEntries(kept.map(([name, item]) => [name, without(item, members)]));
}

/** True for an object of the body, but neither for a list nor for a number that keeps its text. */
function isObject(value: unknown): value is Record<PropertyKey, unknown> {
  return (
    typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
  );
}
