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

/** By the prefix alone, as the API itself does it; null for what is no API key. */
export function environmentOf(apiKey: string): Environment | null {
  if (apiKey.startsWith('svc_test_')) return 'sandbox';
  return apiKey.startsWith('svc_') ? 'live' : null;
}
