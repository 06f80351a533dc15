import type { RequestListener } from 'node:http';
import { ActingPrincipals } from './acting-principals.js';
import { Admission } from './admission.js';
import { Company } from './company.js';
import { consoleDestinations } from './console/destinations.js';
import type { Context } from './context.js';
import { createListener } from './listener.js';
import {
  claimFirst,
  notePrincipal,
  requireVerifiedPrincipal,
  resolveActingPrincipal,
} from './middleware/acting-principal.js';
import { admitted, type Crowd, standingAside } from './middleware/admit.js';
import { authenticate } from './middleware/authenticate.js';
import { callHandler } from './middleware/call-handler.js';
import { checkIpAllowlist } from './middleware/ip-allowlist.js';
import { oauthOn } from './middleware/oauth-on.js';
import { checkRateLimit, tellRateLimit } from './middleware/rate-limit.js';
import { readJsonBody } from './middleware/read-body.js';
import { checkScope } from './middleware/scope.js';
import { type Check, inOrder, type Way } from './middleware/state.js';
import { readTokenBody } from './middleware/token-body.js';
import { step } from './middleware/trace-request.js';
import { validate } from './middleware/validate.js';
import type { AnyRoute } from './route.js';

/** The public API: what every request goes through, and the row's own stack of checks. */
export function createApp(context: Context, routes: readonly AnyRoute[]): RequestListener {
  const principals = new ActingPrincipals(context.clients);
  const { metrics, config } = context;
  const admission = new Admission({ metrics, deadlineMs: config.authorizeDeadlineMs });
  const shared = { principals, crowd: { admission, company: new Company() } };
  const destinations = routes.map((row) => {
    const { method, path } = row;
    return { method, path, way: wayOf(context, row, shared) };
  });
  const all = [...destinations, ...consoleDestinations(context.consoleFiles)];
  return createListener(context, 'public', all);
}

interface Shared {
  principals: ActingPrincipals;
  crowd: Crowd;
}

/** From its first step on the log and the envelopes know the row. */
function wayOf(context: Context, row: AnyRoute, shared: Shared): Way {
  const checks = inOrder([...checksOf(context, row, shared), callHandler(context, row)]);
  const way = row.plane === 'authorize' ? admitted(shared.crowd, checks) : checks;
  return (ctx) => {
    ctx.state.route = row;
    ctx.state.matched = row;
    return way(ctx);
  };
}

/** The way of a request, as data of its row: each check has one reason to say no. */
function checksOf(context: Context, row: AnyRoute, { principals, crowd }: Shared): Check[] {
  const input = [step('read body', readJsonBody(row.maxBodyBytes)), validate(row)];
  if (row.plane === 'public') return input;
  if (row.plane === 'token') return [oauthOn(context.config), readTokenBody(context)];
  const known = [
    step('authenticate', authenticate(context.authentication, row)),
    tellRateLimit(context.clock),
    checkIpAllowlist,
    checkScope(row),
    checkRateLimit,
  ];
  if (row.plane === 'onboarding') return [...known, ...input];
  if (row.plane === 'authorize') {
    const judged = claimFirst(inOrder(input));
    return [...known, notePrincipal(principals), standingAside(crowd, judged)];
  }
  return [
    ...known,
    resolveActingPrincipal(principals, row),
    requireVerifiedPrincipal(row),
    ...input,
  ];
}
