import type { Problem } from './api/problem.js';

export type Environment = 'sandbox' | 'live';

/**
 * Who is signed in. It lives in the memory of the page and nowhere else: no storage, no address, no
 * log has the key, and whoever reloads or closes the page is signed out.
 */
export interface Session {
  apiKey: string;
  environment: Environment;
  /** Sent as X-Principal-Id; null where the key acts for one Principal anyway. */
  principalId: string | null;
  /** For whom its calls act, as far as it is known. */
  actsFor: string | null;
}

/** Of one that the API no longer takes: why, and what need not be typed again. Never its key. */
export interface EndedSession {
  problem: Problem;
  principalId: string | null;
}

/** By the prefix alone, as the API itself does it; null for what is no API key. */
export function environmentOf(apiKey: string): Environment | null {
  if (!apiKey.startsWith('svc_') || !isPlain(apiKey)) return null;
  return apiKey.startsWith('svc_test_') ? 'sandbox' : 'live';
}

/** Who would be signed in by what was pasted; null where that is no key, or no id. */
export function sessionOf(pastedKey: string, pastedPrincipal: string): Session | null {
  const apiKey = pastedKey.trim();
  const principalId = pastedPrincipal.trim() || null;
  const environment = environmentOf(apiKey);
  if (environment === null || !isPlain(principalId ?? '')) return null;
  return { apiKey, environment, principalId, actsFor: principalId };
}

/** What a header can carry: what is copied out of a letter may have marks that nobody sees. */
function isPlain(text: string): boolean {
  return /^[\x21-\x7e]*$/.test(text);
}
