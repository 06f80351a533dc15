import { ending, type Trace } from '@countersign/runtime/trace';
import type { Check, RequestContext } from './state.js';

/** Other methods are a caller's text, which a span must not have. */
const known: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD']);

/** Wraps a check in a span, where the request is traced. */
export function step(name: string, check: Check): Check {
  return (ctx) => {
    const { trace } = ctx.state;
    return trace === null ? check(ctx) : ending(trace.child(name), passing(check, ctx));
  };
}

async function passing(check: Check, ctx: RequestContext): Promise<void> {
  await check(ctx);
}

/** Completes the span of a request, with the pattern of its path and never the path itself. */
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
