import type { Fault, FieldError } from '@countersign/kernel/fault';
import type { Context as KoaContext, Next, ParameterizedContext } from 'koa';
import type { Identified } from '../authentication/authentication.js';
import type { JsonValue } from '../json.js';
import type { AnyRoute } from '../route.js';

/** What the checks of a request have found out so far; each check adds its part. */
export interface RequestState {
  requestId: string;
  /** Resolved through the trusted proxies. */
  ip: string;
  startedAt: number;
  /** The row that matched; absent on unknown paths and on the operator listener. */
  route?: AnyRoute;
  /** The same as far as the log needs it, on either listener. */
  matched?: { method: string; path: string };
  identified?: Identified;
  /** On the runtime plane, whoever the call is made for. */
  actingPrincipalId?: string;
  verificationStatus?: string | null;
  /** On the authorize plane, see RouteRequest. */
  namedPrincipalId: string | null;
  unresolved: Fault | null;
  /** The body as it was sent; undefined where there was none. */
  sentBody?: JsonValue;
  rawBody?: Buffer;
  bodyProblems: FieldError[];
  /** Path parameters as the router read them, before the row's schema. */
  params: unknown;
  query: unknown;
  body: unknown;
  /** On the operator listener: the trail of this call, and the id of what it answered with. */
  audit?: unknown;
  createdId?: unknown;
  /** For the log: the code of the error that was answered. */
  errorCode?: string;
}

export type RequestContext = ParameterizedContext<RequestState, KoaContext>;
export type Check = (ctx: RequestContext, next: Next) => Promise<void>;

/** The caller, on routes that have one; a check that asks on others is in the wrong stack. */
export function identifiedOf(state: RequestState): Identified {
  if (!state.identified) throw new Error('no caller on this route');
  return state.identified;
}
