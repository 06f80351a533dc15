import type { ZodType } from 'zod';
import type { Access } from './authentication/credential.js';
import type { Scope } from './authentication/scopes.js';
import type { Context } from './context.js';
import type { Plane, RateGroup, Reply, RouteRequest } from './request.js';

type RouteHandler<P, Q, B> = (context: Context, request: RouteRequest<P, Q, B>) => Promise<Reply>;

/** One row of the API: the facts of an endpoint as data, and a handler that knows none of them. */
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
  /** The least that a credential needs (default: `read` for GET, else `full`). */
  access?: Access;
  /** A Principal that is not VERIFIED may still call it (reads always may). */
  allowedWhileUnverified?: boolean;
  maxBodyBytes?: number;
  /** Every success, by status, with the schema of its body (null: no body). */
  responses: Record<number, ZodType | null>;
  handler: RouteHandler<P, Q, B>;
  /** What only the published description of the API says of it. */
  documented?: Documented;
}

interface Documented {
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
