import type { Claims } from './verify.js';

/** One signed claim beside what the console shows. */
export interface Comparison {
  name: string;
  signed: string;
  shown: string;
  same: boolean;
}

export function compare(name: string, signed: unknown, shown: unknown): Comparison {
  const texts = { signed: spelled(signed), shown: spelled(shown) };
  return { name, ...texts, same: texts.signed === texts.shown };
}

/** Nothing is the empty text, whether it is absent, null or an empty list. */
export function spelled(value: unknown): string {
  if (Array.isArray(value)) return value.map(spelled).join(', ');
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

export function signedAt({ iat }: Claims): string {
  return secondOf(Number(iat) * 1_000);
}

/** Only the second is signed; nothing where there is no time. */
export function secondOf(atMs: number): string {
  const second = new Date(Math.floor(atMs / 1_000) * 1_000);
  return Number.isNaN(second.getTime()) ? '' : second.toISOString();
}

/** A human said yes: signed before it is recorded, at a moment and for a reason of its own. */
export function isConfirmation({ prev, dec }: Claims): boolean {
  return prev !== undefined || spelled(dec.reason_codes) === 'STEP_UP_CONFIRMED';
}
