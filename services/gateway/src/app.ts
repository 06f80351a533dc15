import type { RequestListener } from 'node:http';
import { ActingPrincipals } from './acting-principals.js';
import { Admission } from './admission/admission.js';
import { DispatchPacer } from './admission/dispatch-pacer.js';
import { consoleDestinations } from './console/destinations.js';
import type { Context } from './context.js';
import { createListener } from './listener.js';
import { checkAccess } from './middleware/access.js';
import {
  checkClaimOnError,
  notePrincipal,
  requireVerifiedPrincipal,
  resolveActingPrincipal,
} from './middleware/acting-principal.js';
import { admitted, type LoadControl, withoutSlot } from './middleware/admit.js';
import { authenticate } from './middleware/authenticate.js';
import { callHandler } from './middleware/call-handler.js';
import { checkIpAllowlist } from './middleware/ip-allowlist.js';
import { checkRateLimit, exposeRateLimit } from './middleware/rate-limit.js';
import { readJsonBody } from './middleware/read-body.js';
import { requireOauth } from './middleware/require-oauth.js';
import { checkScope } from './middleware/scope.js';
import { type Check, inOrder, type Pipeline } from './middleware/state.js';
import { readTokenBody } from './middleware/token-body.js';
import { step } from './middleware/trace-request.js';
import { validate } from './middleware/validate.js';
import type { AnyRoute } from './route.js';
import { checkAsSent, checkWithoutNulls } from './schemas/check-input.js';

/** The public API: one pipeline of checks for each row of the route table. */
export function createApp(context: Context, routes: readonly AnyRoute[]): RequestListener {
  const principals = new ActingPrincipals(context.clients);
  const { metrics, config } = context;
  const admission = new Admission({ metrics, deadlineMs: config.authorizeDeadlineMs });
  const shared = { principals, load: { admission, pacer: new DispatchPacer() } };
  const destinations = routes.map((row) => {
    const { method, path } = row;
    return { method, path, pipeline: pipelineOf(context, row, shared) };
  });
  const all = [...destinations, ...consoleDestinations(context.consoleFiles)];
  return createListener(context, 'public', all);
}

interface Shared {
  principals: ActingPrincipals;
  load: LoadControl;
}

/** The row is known to the access log and the error envelopes before any check runs. */
function pipelineOf(context: Context, row: AnyRoute, shared: Shared): Pipeline {
  const checks = inOrder([...checksOf(context, row, shared), callHandler(context, row)]);
  const pipeline = row.plane === 'authorize' ? admitted(shared.load, checks) : checks;
  return (ctx) => {
    ctx.state.route = row;
    ctx.state.matched = row;
    return pipeline(ctx);
  };
}

/** The checks that a row asks for, in order; each has one reason to refuse. */
function checksOf(context: Context, row: AnyRoute, { principals, load }: Shared): Check[] {
  // In a PATCH or a PUT null may mean that something is to be unset.
  const checkBody = row.method === 'POST' ? checkWithoutNulls : checkAsSent;
  const input = [step('read body', readJsonBody(row.maxBodyBytes)), validate(row, checkBody)];
  if (row.plane === 'public') return input;
  if (row.plane === 'token') return [requireOauth(context.config), readTokenBody(context)];
  const callerChecks = [
    step('authenticate', authenticate(context.authentication, row)),
    exposeRateLimit(context.clock),
    checkIpAllowlist,
    checkAccess(row),
    checkScope(row),
    checkRateLimit,
  ];
  if (row.plane === 'onboarding') return [...callerChecks, ...input];
  if (row.plane === 'authorize') {
    const inputAfterClaim = checkClaimOnError(inOrder(input));
    return [...callerChecks, notePrincipal(principals), withoutSlot(load, inputAfterClaim)];
  }
  return [
    ...callerChecks,
    resolveActingPrincipal(principals, row),
    requireVerifiedPrincipal(row),
    ...input,
  ];
}
