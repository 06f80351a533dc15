import type { Claims } from './verify.js';

/** A signed claim with the value that the console shows. */
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

/** Absent, null and an empty list all become the empty text. */
export function spelled(value: unknown): string {
  if (Array.isArray(value)) return value.map(spelled).join(', ');
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

export function signedAt({ iat }: Claims): string {
  return secondOf(Number(iat) * 1_000);
}

/** Only whole seconds are signed; empty if there is no time. */
export function secondOf(atMs: number): string {
  const second = new Date(Math.floor(atMs / 1_000) * 1_000);
  return Number.isNaN(second.getTime()) ? '' : second.toISOString();
}

/** True for the approval by a human, which is signed separately, with its own time and reasons. */
export function isConfirmation({ prev, dec }: Claims): boolean {
  return prev !== undefined || spelled(dec.reason_codes) === 'STEP_UP_CONFIRMED';
}
