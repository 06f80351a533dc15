import type { Authentication, Identified } from '../authentication/authentication.js';
import { invalidApiKey } from '../authentication/refusals.js';
import type { AnyRoute } from '../route.js';
import type { Check, RequestContext } from './state.js';

/** The credential a request presents must be good now, and of a kind this plane takes. */
export function authenticate(authentication: Authentication, row: AnyRoute): Check {
  return async (ctx) => {
    const identified = await identify(ctx, authentication, row);
    if (row.plane === 'onboarding' && identified.caller.kind !== 'api_key') throw invalidApiKey();
    ctx.state.identified = identified;
  };
}

/** A key counts before a token; without either the answer is the one of a wrong key. */
function identify(
  { req, state }: RequestContext,
  authentication: Authentication,
  row: AnyRoute,
): Promise<Identified> {
  const attempt = { ip: state.ip, group: row.rateGroup };
  const key = req.headers['x-api-key'];
  if (typeof key === 'string') return authentication.byApiKey(key, attempt);
  const token = bearerToken(req.headers.authorization);
  if (token === null || row.plane === 'onboarding') throw invalidApiKey();
  return authentication.byAccessToken(token, attempt);
}

/** Whatever follows the word: what can be no token is told so, and not that a key is missing. */
export function bearerToken(header: string | undefined): string | null {
  const scheme = /^Bearer(?: +(.*))?$/i.exec(header ?? '');
  return scheme && (scheme[1] ?? '');
}
