import type { Problem } from './api/problem.js';

export type Environment = 'sandbox' | 'live';

/**
 * The signed-in session. It lives only in the memory of the page: the key is in no storage, address
 * or log, and reloading or closing the page signs out.
 */
export interface Session {
  apiKey: string;
  environment: Environment;
  /** Sent as X-Principal-Id; null if nobody has entered one and there is no agent to tell it. */
  principalId: string | null;
  /** The same without what an agent tells: the next key may be that of another Client. */
  enteredPrincipalId: string | null;
}

/** A session that ended by itself: the reason, and the Principal entered, but never the key. */
export interface EndedSession {
  /** A problem if the API no longer accepted the key. */
  because: Problem | 'idle';
  enteredPrincipalId: string | null;
}

/** Determined by the prefix alone, as in the API; null if the text is not an API key. */
export function environmentOf(apiKey: string): Environment | null {
  if (!apiKey.startsWith('svc_') || !isPlain(apiKey)) return null;
  return apiKey.startsWith('svc_test_') ? 'sandbox' : 'live';
}

/** The session for the given input; null if the key or the Principal id is malformed. */
export function sessionOf(pastedKey: string, pastedPrincipal: string): Session | null {
  const apiKey = pastedKey.trim();
  const principalId = pastedPrincipal.trim() || null;
  const environment = environmentOf(apiKey);
  if (environment === null || !isPlain(principalId ?? '')) return null;
  return { apiKey, environment, principalId, enteredPrincipalId: principalId };
}

/** Whether it can be sent in a header: pasted text may contain invisible characters. */
function isPlain(text: string): boolean {
  return /^[\x21-\x7e]*$/.test(text);
}
