import type { Authentication, Identified } from '../authentication/authentication.js';
import { invalidApiKey } from '../authentication/refusals.js';
import type { AnyRoute } from '../route.js';
import type { Check, RequestContext } from './state.js';

/** Requires a credential that is valid now, and of a kind that the plane accepts. */
export function authenticate(authentication: Authentication, row: AnyRoute): Check {
  return async (ctx) => {
    const identified = await identify(ctx, authentication, row);
    if (row.plane === 'onboarding' && identified.caller.kind !== 'api_key') throw invalidApiKey();
    ctx.state.identified = identified;
  };
}

/** A key takes precedence over a token; a request without either is answered like a wrong key. */
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

/** Everything after `Bearer`, malformed or not: a bad token is reported as such, not as no key. */
export function bearerToken(header: string | undefined): string | null {
  const scheme = /^Bearer(?: +(.*))?$/i.exec(header ?? '');
  return scheme && (scheme[1] ?? '');
}
