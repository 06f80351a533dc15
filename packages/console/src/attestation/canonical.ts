/**
 * A number, as the text that stands for it in an answer: what is hashed has it without quotes. The
 * service writes numbers as RFC 8785 does, so the text is kept.
 */
export class NumberToken {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** RFC 8785 (JCS): names in the order of their UTF-16 units, nothing between tokens. */
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

/** SHA-256 over the canonical text, by the browser's own cryptography. */
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
