import Router from '@koa/router';
import Koa from 'koa';
import { ActingPrincipals } from './acting-principals.js';
import { Admission } from './admission.js';
import { parseCidrs } from './client-ip.js';
import type { Context } from './context.js';
import { accessLog } from './middleware/access-log.js';
import {
  requireVerifiedPrincipal,
  resolveActingPrincipal,
  resolveNamedPrincipal,
} from './middleware/acting-principal.js';
import { admit } from './middleware/admit.js';
import { answerErrors } from './middleware/answer-errors.js';
import { authenticate } from './middleware/authenticate.js';
import { callHandler } from './middleware/call-handler.js';
import { checkIpAllowlist } from './middleware/ip-allowlist.js';
import { checkRateLimit, tellRateLimit } from './middleware/rate-limit.js';
import { readJsonBody } from './middleware/read-body.js';
import { startRequest } from './middleware/request-start.js';
import { checkScope } from './middleware/scope.js';
import { securityHeaders } from './middleware/security-headers.js';
import type { Check, RequestContext } from './middleware/state.js';
import { readTokenBody } from './middleware/token-body.js';
import { refuseUnmatched } from './middleware/unmatched.js';
import { validate } from './middleware/validate.js';
import type { AnyRoute } from './route.js';

/** The public API: what every request goes through, and the row's own stack of checks. */
export function createApp(context: Context, routes: readonly AnyRoute[]): Koa {
  const { config, log, metrics, clock } = context;
  const trusted = parseCidrs(config.trustedProxies);
  const router = createRouter(context, routes);
  const app = new Koa();
  app.silent = true;
  app.use(startRequest(clock, trusted) as Koa.Middleware);
  app.use(
    accessLog({
      log,
      metrics,
      lines: config.accessLog === 'on',
      listener: 'public',
    }) as Koa.Middleware,
  );
  app.use(securityHeaders() as Koa.Middleware);
  app.use(answerErrors(config.baseUrl, log) as Koa.Middleware);
  mountRouter(app, router);
  return app;
}

/** HEAD is not a method of this API, so the router never sees it. */
export function mountRouter(app: Koa, router: Router): void {
  const dispatch = router.routes();
  const refuse = refuseUnmatched(router);
  app.use((ctx, next) =>
    ctx.method === 'HEAD' ? refuse(ctx as RequestContext, next) : dispatch(ctx as never, next),
  );
  app.use(refuse as Koa.Middleware);
}

function createRouter(context: Context, routes: readonly AnyRoute[]): Router {
  const router = new Router({ strict: true, sensitive: true });
  const principals = new ActingPrincipals(context.clients);
  const { metrics, config } = context;
  const admission = new Admission({ metrics, deadlineMs: config.authorizeDeadlineMs });
  const shared = { principals, admission };
  for (const row of [...routes].sort(bySpecificity)) {
    const checks = [begin(row), ...checksOf(context, row, shared), callHandler(context, row)];
    router.register(row.path, [row.method], checks as never, { name: row.operation });
  }
  return router;
}

interface Shared {
  principals: ActingPrincipals;
  admission: Admission;
}

/** The way of a request, as data of its row: each check has one reason to say no. */
function checksOf(context: Context, row: AnyRoute, { principals, admission }: Shared): Check[] {
  const input = [readJsonBody(row.maxBodyBytes), validate(row)];
  if (row.plane === 'public') return input;
  if (row.plane === 'token') return [readTokenBody];
  const known = [
    authenticate(context.authentication, row),
    tellRateLimit(context.clock),
    checkIpAllowlist,
    checkScope(row),
    checkRateLimit,
  ];
  if (row.plane === 'onboarding') return [...known, ...input];
  if (row.plane === 'authorize') {
    return [admit(admission), ...known, resolveNamedPrincipal(principals), ...input];
  }
  return [
    ...known,
    resolveActingPrincipal(principals, row),
    requireVerifiedPrincipal(row),
    ...input,
  ];
}

/** From here on the log and the envelopes know the row. */
function begin(row: AnyRoute): Check {
  return (ctx, next) => {
    ctx.state.route = row;
    ctx.state.matched = row;
    ctx.state.params = ctx.params;
    return next();
  };
}

/** `/webhooks/events` before `/webhooks/:webhook_id`: what is written out beats a parameter. */
function bySpecificity(a: AnyRoute, b: AnyRoute): number {
  const parameters = (row: AnyRoute) =>
    row.path.split('/').filter((part) => part.startsWith(':')).length;
  return parameters(a) - parameters(b);
}
