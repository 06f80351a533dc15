import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import Koa from 'koa';
import type { Context } from './context.js';
import { parseCidrs } from './http/client-ip.js';
import { checkHead } from './http/request-head.js';
import { securityHeaders } from './http/security-headers.js';
import { accessLog } from './middleware/access-log.js';
import { answerErrors } from './middleware/answer-errors.js';
import { startRequest } from './middleware/request-start.js';
import type { RequestContext } from './middleware/state.js';
import { endTrace } from './middleware/trace-request.js';
import { type Destination, RouteTable } from './route-table.js';

/**
 * What every request goes through, on either listener: its pipeline is looked up and run, whatever
 * it throws becomes an error answer, the answer is sent in one piece and written to the access log.
 */
export function createListener(
  { config, log, lifecycle, metrics, clock, tracer }: Context,
  listener: 'public' | 'operator',
  destinations: readonly Destination[],
): RequestListener {
  const table = new RouteTable(destinations);
  const start = startRequest({
    clock,
    trustedProxies: parseCidrs(config.trustedProxies),
    // Operator calls are in the audit trail instead.
    tracer: listener === 'public' ? tracer : null,
  });
  const answerError = answerErrors({ config, log, clock });
  const logAccess = accessLog({ log, metrics, lines: config.accessLog === 'on', listener });
  const handle = async (ctx: RequestContext): Promise<void> => {
    const startedAt = performance.now();
    start(ctx);
    try {
      checkHead(ctx.req);
      const { pipeline, params } = table.find(ctx);
      ctx.state.params = params;
      await pipeline(ctx);
    } catch (thrown) {
      answerError(ctx, thrown);
    }
    // The caller then opens its next connection, which reaches another replica.
    if (!lifecycle.accepting) ctx.state.headers.Connection = 'close';
    send(ctx);
    logAccess(ctx, performance.now() - startedAt);
    if (ctx.state.trace !== null) endTrace(ctx, ctx.state.trace);
  };
  const koa = new Koa();
  return (request: IncomingMessage, response: ServerResponse) => {
    // Only Koa's context is used: its own middleware chain and response handling cost more.
    handle(koa.createContext(request, response) as unknown as RequestContext).catch((error) => {
      log.error({ err: error }, 'a request could not be answered');
      response.destroy();
    });
  };
}

/** Statuses without a body and without its headers. */
const bodiless: ReadonlySet<number> = new Set([204, 304]);

const defaults = securityHeaders();
const defaultPairs = Object.entries(defaults).flat();

/** Headers and body at once: set one by one, Node looks up and checks each header twice. */
function send(ctx: RequestContext): void {
  // The caller has disconnected.
  if (!ctx.writable) return;
  const { status, headers, text } = ctx.state;
  if (bodiless.has(status)) {
    ctx.res.writeHead(status, headerPairs(headers)).end();
    return;
  }
  const body = text ?? '';
  const length = Buffer.byteLength(body);
  headers['Content-Length'] = String(length);
  // As many bytes as characters means ASCII, which latin1 writes without a conversion.
  const encoding = length === body.length ? 'latin1' : 'utf8';
  const toSend = ctx.req.method === 'HEAD' ? '' : body;
  ctx.res.writeHead(status, headerPairs(headers)).end(toSend, encoding);
}

/** Names and values in turn, as `writeHead` takes them; the answer's own override the defaults. */
function headerPairs(headers: Record<string, string>): string[] {
  const names = Object.keys(headers);
  const pairs = names.some((name) => name in defaults)
    ? Object.entries(defaults).flatMap((header) => (header[0] in headers ? [] : header))
    : defaultPairs.slice();
  for (const name of names) pairs.push(name, headers[name] as string);
  return pairs;
}
