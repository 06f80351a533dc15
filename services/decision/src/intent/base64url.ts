import { hash } from 'node:crypto';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Null for anything but the canonical encoding. A lenient decoder also accepts padding, other
 * characters and stray trailing bits, so that one value would have several spellings and digests.
 */
export function base64urlBytes(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : null;
}

export function base64urlText(text: string): string | null {
  const bytes = base64urlBytes(text);
  if (!bytes) return null;
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}

/** The digest of all bindings in a chain: BASE64URL(SHA-256(ASCII(text))). */
export function digestOf(text: string): string {
  return hash('sha256', text, 'base64url');
}

export function isDigest(value: unknown): value is string {
  return typeof value === 'string' && value.length === 43 && base64urlBytes(value) !== null;
}
