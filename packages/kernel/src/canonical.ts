import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';

/** RFC 8785 (JCS) text of a JSON value; keys whose value is undefined are absent. */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('not a JSON value');
  return text;
}

/**
 * The canonical text of an object whose members are spelled already; those without a text are
 * absent. Names are sorted by their UTF-16 units, as RFC 8785 has it.
 */
export function canonicalObject(members: Record<string, string | undefined>): string {
  const parts: string[] = [];
  for (const name of Object.keys(members).sort()) {
    const text = members[name];
    if (text !== undefined) parts.push(`${JSON.stringify(name)}:${text}`);
  }
  return `{${parts.join()}}`;
}

/** SHA-256 over the canonical JSON, in hex: equal for semantically equal values. */
export function canonicalHash(value: unknown): string {
  return sha256Hex(canonicalJson(value));
}

export function sha256Hex(text: string): string {
  return hash('sha256', text, 'hex');
}
