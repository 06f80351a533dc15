import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';

/** RFC 8785 (JCS) text of a JSON value; keys whose value is undefined are absent. */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('not a JSON value');
  return text;
}

/** SHA-256 over the canonical JSON, in hex: equal for semantically equal values. */
export function canonicalHash(value: unknown): string {
  return sha256Hex(canonicalJson(value));
}

export function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
