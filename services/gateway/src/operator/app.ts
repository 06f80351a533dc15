import Router from '@koa/router';
import Koa from 'koa';
import { mountRouter } from '../app.js';
import { parseCidrs } from '../client-ip.js';
import type { Context } from '../context.js';
import { accessLog } from '../middleware/access-log.js';
import { answerErrors } from '../middleware/answer-errors.js';
import { sendReply } from '../middleware/call-handler.js';
import { readJsonBody } from '../middleware/read-body.js';
import { startRequest } from '../middleware/request-start.js';
import { securityHeaders } from '../middleware/security-headers.js';
import type { Check } from '../middleware/state.js';
import { validate } from '../middleware/validate.js';
import { audit, openAudit } from './audit.js';
import { checkAdminKey, checkProviderSignature } from './guard.js';
import type { OperatorRoute } from './route.js';
import { operatorRoutes } from './table.js';

/** Waiting out what Redis may still say of a credential takes longer than a call to a service. */
const deadlineMs = 5_000;

/** The operator interface, on a listener of its own. */
export function createOperatorApp(context: Context): Koa {
  const { config, log, metrics, clock } = context;
  const router = new Router({ strict: true, sensitive: true });
  for (const row of operatorRoutes) {
    router.register(row.path, [row.method], checksOf(context, row) as never);
  }
  const app = new Koa();
  app.silent = true;
  const trusted = parseCidrs(config.trustedProxies);
  const lines = config.accessLog === 'on';
  app.use(startRequest(clock, trusted) as Koa.Middleware);
  app.use(accessLog({ log, metrics, lines, listener: 'operator' }) as Koa.Middleware);
  app.use(securityHeaders() as Koa.Middleware);
  app.use(answerErrors(config.baseUrl, log) as Koa.Middleware);
  mountRouter(app, router);
  return app;
}

function checksOf(context: Context, row: OperatorRoute): Check[] {
  const { adminKey, verificationCallbackSecret } = context.config;
  // A signature covers the body, so that one is read first; a key is looked at before anything.
  const guarded =
    row.guard === 'admin_key'
      ? [checkAdminKey(adminKey), readJsonBody()]
      : [readJsonBody(), checkProviderSignature(verificationCallbackSecret)];
  return [
    begin(row),
    audit(context, row),
    ...guarded,
    validate(row),
    openAudit,
    call(context, row),
  ];
}

function begin(row: OperatorRoute): Check {
  return (ctx, next) => {
    ctx.state.matched = row;
    ctx.state.params = ctx.params;
    return next();
  };
}

function call(context: Context, row: OperatorRoute): Check {
  return async (ctx) => {
    const { requestId, params, query, body, startedAt } = ctx.state;
    const deadlineAt = startedAt + deadlineMs;
    const reply = await row.handler(context, { requestId, params, query, body, deadlineAt });
    ctx.state.createdId = (reply.body as { id?: unknown } | undefined)?.id;
    sendReply(ctx, reply);
  };
}
