import type { Environment } from '@countersign/kernel/environment';
import type { Fault } from '@countersign/kernel/fault';
import type { ZodType } from 'zod';
import type { Context } from './context.js';

/**
 * Who may call a route, and what is resolved before its handler runs:
 * - `public`: nobody is asked. `token`: credentials are in the body.
 * - `onboarding`: a Client API key, nothing else.
 * - `runtime`: any credential; acts for one Principal, resolved before the handler.
 * - `authorize`: like runtime, but the agent named in the body may decide the Principal.
 */
export type Plane = 'public' | 'token' | 'onboarding' | 'runtime' | 'authorize';

export type Scope =
  | 'authorize'
  | 'agents'
  | 'mandates'
  | 'webhooks'
  | 'thresholds'
  | 'principals'
  | 'outcomes'
  | 'cases';

export type RateGroup = 'authorize' | 'write' | 'read' | 'token' | 'none';

/** The verified credential behind a request. */
export interface Caller {
  credentialId: string;
  kind: 'api_key' | 'principal_key' | 'access_token';
  clientId: string;
  environment: Environment;
  /** Set for a sandbox Principal key and its tokens: it always acts for this Principal. */
  principalId: string | null;
  /** Empty means full access. */
  scopes: readonly string[];
}

/** On whose behalf a runtime call is made. */
export interface Tenant {
  clientId: string;
  principalId: string;
}

/** Everything a handler knows of a request; all of it validated. */
export interface RouteRequest<P = Record<string, string>, Q = unknown, B = unknown> {
  requestId: string;
  environment: Environment;
  /** Absent only on public and token routes, where asking for it throws. */
  caller: Caller;
  /** The acting Principal; asking for it off the runtime plane throws. */
  tenant: Tenant;
  /** On the authorize plane: the Principal that header or credential names, if any. */
  namedPrincipalId: string | null;
  /**
   * On the authorize plane: why nobody can say at this moment whether the named Principal is the
   * caller's (identity is away). Then `namedPrincipalId` is null, and the handler answers its
   * fail-safe decision for no Principal, without asking anybody and without recording it.
   */
  unresolved: Fault | null;
  params: P;
  query: Q;
  /** Numbers that a double would not print back are `JsonNumber`s before validation. */
  body: B;
  /** The JSON as it was sent, before defaults: what req_hash is computed over. */
  sentBody: unknown;
  /** Of the `Idempotency-Key` header, on routes that take one. */
  idempotencyKey: string | null;
  clientIp: string;
  /** On the token plane alone: the `Authorization` header, which may carry the credentials (Basic). */
  authorization: string | null;
  /** Epoch milliseconds by which the answer must be on its way. */
  deadlineAt: number;
}

export interface Reply {
  status: number;
  /** Rendered with JSON.stringify, unless it is already text (an answer's recorded bytes). */
  body?: unknown;
  text?: string;
  contentType?: string;
  headers?: Record<string, string>;
}

export type RouteHandler<P, Q, B> = (
  context: Context,
  request: RouteRequest<P, Q, B>,
) => Promise<Reply>;

/** One row of the API: the facts of an endpoint as data, and the handler that knows none of them. */
export interface Route<P = never, Q = never, B = never> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Koa path, e.g. `/api/v1/agents/:agent_id`. */
  path: string;
  plane: Plane;
  scope: Scope | null;
  rateGroup: RateGroup;
  /** OpenAPI operationId and one-line summary. */
  operation: string;
  summary: string;
  tag: string;
  params?: ZodType<P>;
  query?: ZodType<Q>;
  body?: ZodType<B>;
  /** False where an empty body is fine (default: a body schema means a body is required). */
  bodyRequired?: boolean;
  /** Takes the `Idempotency-Key` header. */
  idempotent?: boolean;
  /** Onboarding business errors use the flat envelope. */
  flatErrors?: boolean;
  /** A Principal that is not VERIFIED may still call it (reads always may). */
  allowedWhileUnverified?: boolean;
  maxBodyBytes?: number;
  /** Every success, by status, with the schema of its body (null: no body). */
  responses: Record<number, ZodType | null>;
  handler: RouteHandler<P, Q, B>;
  /** What only the published description of the API says of it. */
  documented?: Documented;
}

export interface Documented {
  /** More than the summary, in Markdown. */
  description?: string;
  /** Statuses of errors besides those that follow from plane, method and schemas. */
  errors?: readonly number[];
  /** Where the handler reads the body by its own rules. */
  body?: { schema: ZodType; contentTypes: readonly string[] };
  /** Media type of a success that is not JSON. */
  contentType?: string;
  /** Response headers of successes, by name. */
  headers?: Record<string, string>;
}

/** Checks that handler and schemas agree, and forgets the types for the table. */
export function route<P = Record<string, string>, Q = unknown, B = undefined>(
  row: Route<P, Q, B>,
): AnyRoute {
  return row as unknown as AnyRoute;
}

export type AnyRoute = Route<Record<string, string>, unknown, unknown>;
