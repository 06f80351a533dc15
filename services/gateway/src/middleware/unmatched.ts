import type Router from '@koa/router';
import { methodNotAllowed, unknownPath } from '../errors/refusal.js';
import type { Check } from './state.js';

/** What no route takes: 405 where the path exists under another method, else 404. */
export function refuseUnmatched(router: Router): Check {
  return (ctx) => {
    const layers = router.match(ctx.path, ctx.method).path;
    const allowed = new Set(layers.flatMap((layer) => layer.methods));
    // The router takes HEAD for every GET; this API does not.
    allowed.delete('HEAD');
    throw allowed.size > 0 ? methodNotAllowed([...allowed].sort()) : unknownPath();
  };
}
