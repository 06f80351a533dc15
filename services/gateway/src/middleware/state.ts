import type { FieldError } from '@countersign/kernel/fault';
import type { Trace } from '@countersign/runtime/trace';
import type { Context as KoaContext, ParameterizedContext } from 'koa';
import type { PrincipalClaim } from '../acting-principals.js';
import type { Identified } from '../authentication/authentication.js';
import type { JsonValue } from '../json/value.js';
import type { AnyRoute } from '../route.js';

/** What the checks of a request have found out so far; each check adds its part. */
export interface RequestState {
  requestId: string;
  /** Null for most requests, and for all where traces are off. */
  trace: Trace;
  /** Resolved through the trusted proxies. */
  ip: string;
  startedAt: number;
  /** Milliseconds spent waiting for the caller's body; not counted against the deadline. */
  bodyMs: number;
  /** The row that matched; absent on unknown paths and on the operator listener. */
  route?: AnyRoute;
  /** The matched method and path pattern, for the log; set on both listeners. */
  matched?: { method: string; path: string };
  identified?: Identified;
  /** On the runtime plane: the Principal the call acts for. */
  actingPrincipalId?: string;
  verificationStatus?: string | null;
  /** On the authorize plane, see RouteRequest. */
  namedPrincipalId: string | null;
  claim: PrincipalClaim | null;
  /** On the authorize plane, while the request holds a slot; see Admission. */
  admittedAt: number | null;
  /** The body as it was sent; undefined where there was none. */
  sentBody?: JsonValue;
  rawBody?: Buffer;
  bodyProblems: FieldError[];
  /** Path parameters as the router read them, before the row's schema. */
  params: unknown;
  query: unknown;
  body: unknown;
  /** The answer so far; it is sent once, at the end. */
  status: number;
  headers: Record<string, string>;
  text: string | null;
  /** For the log: the code of the error that was answered. */
  errorCode?: string;
  /** An outage or a defect was in the way, whatever the status: /authorize has no 5xx. */
  failed?: boolean;
}

export type RequestContext = ParameterizedContext<RequestState, KoaContext>;

/** One step of a pipeline: lets the request pass, or throws what is answered instead. */
export type Check = (ctx: RequestContext) => void | Promise<void>;

/** All steps of a request, up to its answer. */
export type Pipeline = (ctx: RequestContext) => Promise<void>;

/** Runs the checks in order; synchronous ones cost no turn of the event loop. */
export function inOrder(checks: readonly Check[]): Pipeline {
  return async (ctx) => {
    for (const check of checks) {
      const passing = check(ctx);
      if (passing) await passing;
    }
  };
}

/** The authenticated caller; throws on routes without one, where a check must not ask for it. */
export function identifiedOf(state: RequestState): Identified {
  if (!state.identified) throw new Error('no caller on this route');
  return state.identified;
}
