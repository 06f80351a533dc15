import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import Koa from 'koa';
import { parseCidrs } from './client-ip.js';
import type { Context } from './context.js';
import { accessLog } from './middleware/access-log.js';
import { answerErrors } from './middleware/answer-errors.js';
import { startRequest } from './middleware/request-start.js';
import { securityHeaders } from './middleware/security-headers.js';
import type { RequestContext } from './middleware/state.js';
import { endTrace } from './middleware/trace-request.js';
import { type Destination, RouteTable } from './route-table.js';

/**
 * What every request goes through, on either listener: it is found its way, whatever is thrown on
 * it becomes an answer, the answer is sent in one piece, and the log tells of it.
 */
export function createListener(
  { config, log, metrics, clock, tracer }: Context,
  listener: 'public' | 'operator',
  destinations: readonly Destination[],
): RequestListener {
  const table = new RouteTable(destinations);
  const start = startRequest({
    clock,
    trustedProxies: parseCidrs(config.trustedProxies),
    // What the operator does is in the audit.
    tracer: listener === 'public' ? tracer : null,
  });
  const answerError = answerErrors({ config, log, clock });
  const tell = accessLog({ log, metrics, lines: config.accessLog === 'on', listener });
  const handle = async (ctx: RequestContext): Promise<void> => {
    const startedAt = performance.now();
    start(ctx);
    try {
      const { way, params } = table.find(ctx);
      ctx.state.params = params;
      await way(ctx);
    } catch (thrown) {
      answerError(ctx, thrown);
    }
    send(ctx);
    tell(ctx, performance.now() - startedAt);
    if (ctx.state.trace !== null) endTrace(ctx, ctx.state.trace);
  };
  const koa = new Koa();
  return (request: IncomingMessage, response: ServerResponse) => {
    // Koa reads the request; what it does around an answer is done above, for less.
    handle(koa.createContext(request, response) as unknown as RequestContext).catch((error) => {
      log.error({ err: error }, 'a request could not be answered');
      response.destroy();
    });
  };
}

/** Statuses whose answers have no body and say nothing about one. */
const bodiless: ReadonlySet<number> = new Set([204, 304]);

const always = securityHeaders();
const alwaysInLine = Object.entries(always).flat();

/** Headers and body at once: set one by one, each header is looked up and checked twice. */
function send(ctx: RequestContext): void {
  // Who has gone away is not answered.
  if (!ctx.writable) return;
  const { status, headers, text } = ctx.state;
  if (bodiless.has(status)) {
    ctx.res.writeHead(status, inLine(headers)).end();
    return;
  }
  const body = text ?? '';
  const length = Buffer.byteLength(body);
  headers['Content-Length'] = String(length);
  // What is as long in bytes as in characters is ASCII, and is written without a conversion.
  const encoding = length === body.length ? 'latin1' : 'utf8';
  const toSend = ctx.req.method === 'HEAD' ? '' : body;
  ctx.res.writeHead(status, inLine(headers)).end(toSend, encoding);
}

/** Names and values in turn; what an answer says itself counts before what all of them say. */
function inLine(headers: Record<string, string>): string[] {
  const names = Object.keys(headers);
  const line = names.some((name) => name in always)
    ? Object.entries(always).flatMap((header) => (header[0] in headers ? [] : header))
    : alwaysInLine.slice();
  for (const name of names) line.push(name, headers[name] as string);
  return line;
}
