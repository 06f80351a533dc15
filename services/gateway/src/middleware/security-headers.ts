import helmet from 'koa-helmet';
import type { Check } from './state.js';

/**
 * Answers are JSON for programs: nothing in them may be loaded, framed, sniffed or kept. A page
 * (the documentation) sends its own policy in place of this one.
 */
export function securityHeaders(): Check {
  const set = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    crossOriginEmbedderPolicy: false,
    referrerPolicy: { policy: 'no-referrer' },
  });
  return async (ctx, next) => {
    await set(ctx as never, async () => {});
    ctx.set('Cache-Control', 'no-store');
    await next();
  };
}
