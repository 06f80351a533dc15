import type { IncomingHttpHeaders } from 'node:http';
import type { Environment } from '@countersign/kernel/environment';
import { decodeJwt } from 'jose';
import { rateLimit, scaledLimit } from '../authentication/rate-limits.js';
import { parseApiKey } from '../authentication/secrets.js';
import type { Context } from '../context.js';
import { bearerToken } from './authenticate.js';
import type { RequestContext } from './state.js';

type Parts = Pick<Context, 'clock'> & { config: Pick<Context['config'], 'rateLimitMultiplier'> };

/**
 * Completes the X-RateLimit headers of every 429: which limit was met, that nothing is left of it,
 * and when it is available again. A refusal by another limit than that of the credential's bucket
 * has set X-RateLimit-Limit itself.
 */
export function setExhaustedHeaders({ clock, config }: Parts): (ctx: RequestContext) => void {
  return ({ req, state: { headers, route } }) => {
    if (headers['X-RateLimit-Limit'] === undefined) {
      // The credential was not recognised: the limit that any valid one of its kind would have.
      const published = rateLimit(route?.rateGroup ?? 'none', namedEnvironment(req.headers));
      const limit = scaledLimit(published, config.rateLimitMultiplier) ?? published;
      if (limit) headers['X-RateLimit-Limit'] = String(limit.burst);
    }
    headers['X-RateLimit-Remaining'] = '0';
    const retryAt = Math.ceil(clock() / 1_000) + Number(headers['Retry-After'] ?? 1);
    const fullAt = Number(headers['X-RateLimit-Reset'] ?? 0);
    headers['X-RateLimit-Reset'] = String(Math.max(fullAt, retryAt));
  };
}

/** The environment that a credential claims, valid or not. */
function namedEnvironment({ 'x-api-key': key, authorization }: IncomingHttpHeaders): Environment {
  if (typeof key === 'string') return parseApiKey(key)?.environment ?? 'live';
  const token = bearerToken(authorization);
  try {
    return token !== null && decodeJwt(token).env === 'sandbox' ? 'sandbox' : 'live';
  } catch {
    return 'live';
  }
}
