/**
 * A number as its text in a response; it is hashed without quotes. The service formats numbers as
 * in RFC 8785, so the text is kept.
 */
export class NumberToken {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** RFC 8785 (JCS): names sorted by UTF-16 code units, no white space between tokens. */
export function canonicalText(value: unknown): string {
  if (value instanceof NumberToken) return value.text;
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalText(member)}`);
  return `{${members.join(',')}}`;
}

/** SHA-256 over the canonical text, with the Web Crypto API. */
export async function canonicalDigest(value: unknown): Promise<Uint8Array> {
  const bytes = new TextEncoder().encode(canonicalText(value));
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
}

export function hex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

export function base64url(bytes: Uint8Array): string {
  const text = btoa(String.fromCharCode(...bytes));
  return text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}
