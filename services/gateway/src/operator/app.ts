import type { RequestListener } from 'node:http';
import { callOptions } from '../call-options.js';
import type { Context } from '../context.js';
import { refuseIfAnswered } from '../http/arrival.js';
import { createListener } from '../listener.js';
import { deadlineOf, sendReply } from '../middleware/call-handler.js';
import { readJsonBody } from '../middleware/read-body.js';
import { type Check, inOrder, type Pipeline, type RequestContext } from '../middleware/state.js';
import { validate } from '../middleware/validate.js';
import type { Reply } from '../request.js';
import { audited } from './audit.js';
import { checkAdminKey, checkProviderSignature } from './guard.js';
import type { OperatorRoute } from './route.js';
import { operatorRoutes } from './table.js';

/** The operator interface, on a listener of its own. */
export function createOperatorApp(context: Context): RequestListener {
  const destinations = operatorRoutes.map((row) => {
    const { method, path } = row;
    return { method, path, pipeline: pipelineOf(context, row) };
  });
  return createListener(context, 'operator', destinations);
}

function pipelineOf(context: Context, row: OperatorRoute): Pipeline {
  const checks = inOrder(checksOf(context, row));
  const pipeline = audited(context, row, { checks, handle: handlerOf(context, row) });
  return (ctx) => {
    ctx.state.matched = row;
    return pipeline(ctx);
  };
}

function checksOf(context: Context, row: OperatorRoute): Check[] {
  const { adminKey, verificationCallbackSecret } = context.config;
  // A signature covers the body, so that one is read first; a key is looked at before anything.
  const guarded =
    row.guard === 'admin_key'
      ? [checkAdminKey(adminKey), readJsonBody()]
      : [readJsonBody(), checkProviderSignature(verificationCallbackSecret)];
  return [...guarded, validate(row)];
}

function handlerOf(context: Context, row: OperatorRoute): (ctx: RequestContext) => Promise<Reply> {
  return async (ctx) => {
    refuseIfAnswered(ctx.req);
    const { requestId, params, query, body } = ctx.state;
    const deadlineAt = deadlineOf(ctx.state);
    const reply = await row.handler(context, {
      params,
      query,
      body,
      callOptions: (environment) =>
        callOptions({ environment, requestId, deadlineAt }, context.clock()),
    });
    sendReply(ctx, reply);
    return reply;
  };
}
