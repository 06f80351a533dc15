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
 * What every 429 says besides when to come back: which limit was met, and that nothing is left of
 * it until then. Whoever refused has said what the limit is where it is another than that of the
 * credential's bucket.
 */
export function tellExhausted({ clock, config }: Parts): (ctx: RequestContext) => void {
  return ({ req, state: { headers, route } }) => {
    if (headers['X-RateLimit-Limit'] === undefined) {
      // Nobody has recognised the credential: this is the bucket that any such one would have.
      const published = rateLimit(route?.rateGroup ?? 'none', namedEnvironment(req.headers));
      const limit = scaledLimit(published, config.rateLimitMultiplier) ?? published;
      if (limit) headers['X-RateLimit-Limit'] = String(limit.burst);
    }
    headers['X-RateLimit-Remaining'] = '0';
    const comeBack = Math.ceil(clock() / 1_000) + Number(headers['Retry-After'] ?? 1);
    const full = Number(headers['X-RateLimit-Reset'] ?? 0);
    headers['X-RateLimit-Reset'] = String(Math.max(full, comeBack));
  };
}

/** The environment that a credential names, whether or not it is a good one. */
function namedEnvironment({ 'x-api-key': key, authorization }: IncomingHttpHeaders): Environment {
  if (typeof key === 'string') return parseApiKey(key)?.environment ?? 'live';
  const token = bearerToken(authorization);
  try {
    return token !== null && decodeJwt(token).env === 'sandbox' ? 'sandbox' : 'live';
  } catch {
    return 'live';
  }
}
