import { ending, type Trace } from '@countersign/runtime/trace';
import type { Check, RequestContext } from './state.js';

/** Methods that are no word of a caller's own. */
const known: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD']);

/** One span for a step of the way, where the request is traced. */
export function step(name: string, check: Check): Check {
  return (ctx) => {
    const { trace } = ctx.state;
    return trace === null ? check(ctx) : ending(trace.child(name), passing(check, ctx));
  };
}

async function passing(check: Check, ctx: RequestContext): Promise<void> {
  await check(ctx);
}

/** What the span of a whole request says: the pattern of its path and never the path. */
export function endTrace({ method: sent, state }: RequestContext, trace: NonNullable<Trace>): void {
  const { matched, status, identified, errorCode } = state;
  const method = known.has(sent) ? sent : '_OTHER';
  trace.rename(matched ? `${method} ${matched.path}` : method);
  trace.set({
    'http.request.method': method,
    'http.response.status_code': status,
    ...(matched && { 'http.route': matched.path }),
    ...(identified && { 'countersign.environment': identified.caller.environment }),
  });
  if (status >= 500) trace.fail(errorCode ?? String(status));
  else if (errorCode !== undefined) trace.set({ 'error.type': errorCode });
  trace.end();
}
