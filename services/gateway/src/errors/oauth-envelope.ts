import type { ErrorReply } from './failure.js';
import type { OauthRefusal } from './oauth-refusal.js';

/** Nothing the token endpoint says may be kept by anyone on the way. */
export const noStore = { 'Cache-Control': 'no-store', Pragma: 'no-cache' } as const;

/** `{error, error_description}` of RFC 6749, made here and nowhere else. */
export function oauthEnvelope(refusal: OauthRefusal): ErrorReply {
  return {
    status: refusal.status,
    headers: { ...noStore, ...refusal.headers },
    body: { error: refusal.code, error_description: refusal.message },
  };
}
