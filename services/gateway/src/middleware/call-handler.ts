import type { Clock } from '@countersign/kernel/clock';
import { callOptions } from '../call-options.js';
import type { Context } from '../context.js';
import { refuseIfAnswered } from '../http/arrival.js';
import { jsonType } from '../reply.js';
import type { Caller, Reply, RouteRequest } from '../request.js';
import type { AnyRoute } from '../route.js';
import { idempotencyKeyOf } from './idempotency-key.js';
import { type Check, identifiedOf, type RequestContext, type RequestState } from './state.js';

/**
 * From the arrival of a request to its answer. Long enough to wait out what Redis may still say of
 * a credential that is changed.
 */
const deadlineMs = 5_000;

/** The time that a caller takes for the body is not taken from what is done with it. */
export function deadlineOf({ startedAt, bodyMs }: RequestState, allowedMs = deadlineMs): number {
  return startedAt + bodyMs + allowedMs;
}

/**
 * The share of a decision's deadline within which it is asked for. In the rest it can be answered
 * without one, by a fail-safe decline that is on disk first.
 */
const askingShare = 0.9;

/** Calls the handler of the row with what the checks have found, and sends its reply. */
export function callHandler(context: Context, row: AnyRoute): Check {
  const { authorizeDeadlineMs } = context.config;
  const allowedMs = row.plane === 'authorize' ? authorizeDeadlineMs * askingShare : deadlineMs;
  return async (ctx) => {
    refuseIfAnswered(ctx.req);
    const request = new ValidRequest(ctx, row, { allowedMs, clock: context.clock });
    sendReply(ctx, await row.handler(context, request));
  };
}

export function sendReply(ctx: RequestContext, reply: Reply): void {
  const { state } = ctx;
  state.status = hasAlready(ctx, reply.headers?.ETag) ? 304 : reply.status;
  if (reply.text !== undefined) state.text = reply.text;
  else if (reply.body !== undefined) state.text = JSON.stringify(reply.body);
  if (state.text !== null && state.status !== 304) {
    state.headers['Content-Type'] = reply.contentType ?? jsonType;
  }
  if (reply.headers) Object.assign(state.headers, reply.headers);
}

/** Ignores a caller's `Cache-Control: no-cache`, which is meant for caches in between. */
function hasAlready(ctx: RequestContext, tag: string | undefined): boolean {
  const known = ctx.req.headers['if-none-match'];
  if (tag === undefined || known === undefined) return false;
  return known.split(',').some((each) => each.trim().replace(/^W\//, '') === tag);
}

interface Timing {
  allowedMs: number;
  clock: Clock;
}

/** The request as handlers see it; throws where a handler asks for what its plane does not have. */
class ValidRequest implements RouteRequest<Record<string, string>> {
  readonly #state: RequestState;
  readonly #plane: AnyRoute['plane'];
  readonly #clock: Clock;
  readonly idempotencyKey: string | null;
  readonly authorization: string | null;
  readonly deadlineAt: number;

  constructor(ctx: RequestContext, row: AnyRoute, { allowedMs, clock }: Timing) {
    this.#state = ctx.state;
    this.#plane = row.plane;
    this.#clock = clock;
    this.idempotencyKey = row.idempotent ? idempotencyKeyOf(ctx.req) : null;
    this.authorization = row.plane === 'token' ? (ctx.req.headers.authorization ?? null) : null;
    this.deadlineAt = deadlineOf(ctx.state, allowedMs);
  }

  get requestId() {
    return this.#state.requestId;
  }

  get trace() {
    return this.#state.trace;
  }

  get environment() {
    return this.caller.environment;
  }

  get caller(): Caller {
    return identifiedOf(this.#state).caller;
  }

  get tenant() {
    const principalId = this.#state.actingPrincipalId;
    if (principalId === undefined) throw new Error(`no acting Principal on plane ${this.#plane}`);
    return { clientId: this.caller.clientId, principalId };
  }

  get namedPrincipalId() {
    return this.#state.namedPrincipalId;
  }

  get claim() {
    return this.#state.claim;
  }

  get params() {
    return this.#state.params as Record<string, string>;
  }

  get query() {
    return this.#state.query;
  }

  get body() {
    return this.#state.body;
  }

  get sentBody() {
    return this.#state.sentBody ?? null;
  }

  get clientIp() {
    return this.#state.ip;
  }

  callOptions() {
    return callOptions(this, this.#clock());
  }
}
