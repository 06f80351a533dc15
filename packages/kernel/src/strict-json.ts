/**
 * JSON without ambiguity. Of two members with the same name, JavaScript keeps the last and other
 * parsers the first, so a text with duplicate keys is rejected.
 */

export interface JsonBounds {
  maxDepth: number;
  maxKeys: number;
}

interface StrictJson {
  value: unknown;
  hasNumber: boolean;
}

/** Collected while a value is traversed. */
interface Counts {
  strings: number;
  hasNumber: boolean;
}

/**
 * Undefined if the text is not JSON, exceeds the bounds, contains a duplicate key, or names
 * `__proto__`. Duplicates are found by counting: each string has two quotes in the text, but the
 * parsed value keeps only one of two members with the same name.
 */
export function readStrictJson(text: string, bounds: JsonBounds): StrictJson | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const counts: Counts = { strings: 0, hasNumber: false };
  if (!isWithin(value, bounds, { counts, depth: 0 })) return undefined;
  if (countQuotes(withoutEscapes(text)) !== 2 * counts.strings) return undefined;
  return { value, hasNumber: counts.hasNumber };
}

/** False if the value exceeds the bounds; updates the counts. */
function isWithin(
  value: unknown,
  bounds: JsonBounds,
  { counts, depth }: { counts: Counts; depth: number },
): boolean {
  if (typeof value === 'string') counts.strings += 1;
  if (typeof value === 'number') counts.hasNumber = true;
  if (typeof value !== 'object' || value === null) return true;
  if (depth === bounds.maxDepth) return false;
  const inner = { counts, depth: depth + 1 };
  if (Array.isArray(value)) return value.every((item) => isWithin(item, bounds, inner));
  const keys = Object.keys(value);
  counts.strings += keys.length;
  if (keys.length > bounds.maxKeys) return false;
  for (const key of keys) {
    if (key === '__proto__') return false;
    if (!isWithin((value as Record<string, unknown>)[key], bounds, inner)) return false;
  }
  return true;
}

/** In valid JSON, a backslash always begins an escape sequence. */
function withoutEscapes(text: string): string {
  return text.includes('\\') ? text.replace(/\\./g, '') : text;
}

function countQuotes(text: string): number {
  let quotes = 0;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) quotes += 1;
  return quotes;
}
