import { readStrictJson } from '@countersign/kernel/strict-json';

export type JsonObject = { readonly [name: string]: unknown };

const bounds = { maxDepth: 12, maxKeys: 256 };

const quotedText = /"(?:[^"\\]|\\.)*"/g;
const unusualNumber = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * Parses the JSON of a credential; undefined if it is ambiguous. `27999.0` and `1e2` are
 * integers to one parser and fractions to another, so a text with such a number is refused.
 */
export function readCredentialJson(text: string): unknown {
  const read = readStrictJson(text, bounds);
  if (!read || (read.hasNumber && hasDisguisedInteger(text))) return undefined;
  return read.value;
}

function hasDisguisedInteger(text: string): boolean {
  const bare = text.replace(quotedText, '""');
  return (bare.match(unusualNumber) ?? []).some((spelled) => {
    const value = Number(spelled);
    return /[.eE]/.test(spelled) && (Number.isInteger(value) || !Number.isFinite(value));
  });
}

/**
 * Control characters and unpaired surrogates, which PostgreSQL cannot store, and private-use
 * characters, which mark placeholders in an answer.
 */
const unstorable = /[\p{Cc}\p{Cs}\p{Co}]/u;

/** A short text that can be stored. */
export function isText(value: unknown, maxLength = 255): value is string {
  if (typeof value !== 'string' || value === '' || value.length > maxLength) return false;
  return !unstorable.test(value);
}

/** A member that may be left out, or null. One of another type may be a limit: it is malformed. */
export function isOptionalText(value: unknown): boolean {
  return value === undefined || value === null || isText(value);
}

/** For amounts in minor units and for counts. An unsafe integer may have been rounded. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
