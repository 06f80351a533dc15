import type { Environment } from '@countersign/kernel/environment';
import type { CallOptions } from '@countersign/runtime/grpc-types';
import type { ZodType, z } from 'zod';
import type { Context } from '../context.js';
import type { Reply } from '../request.js';
import type { OperatorTag } from './openapi/guide.js';

export const base = '/internal/v1';

/** Everything an operator handler knows of a request; all of it validated. */
export interface OperatorRequest<P = unknown, Q = unknown, B = unknown> {
  params: P;
  query: Q;
  body: B;
  /** Of a call that is made for this request, at that moment: its deadline is what is left. */
  callOptions(environment: Environment): CallOptions;
}

/** A reply whose body is what the row says it is. */
export interface OperatorReply<A = unknown> extends Reply {
  body?: Given<A>;
}

/** A body by its schema; words of a choice come from databases and services, as text. */
type Given<A> = A extends string
  ? string
  : A extends readonly (infer I)[]
    ? Given<I>[]
    : A extends object
      ? { [K in keyof A]: Given<A[K]> }
      : A;

/** The reply of a handler by the schema of its answer. */
export type Answer<S extends ZodType> = OperatorReply<z.output<S>>;

type OperatorHandler<P, Q, B, A> = (
  context: Context,
  request: OperatorRequest<P, Q, B>,
) => Promise<OperatorReply<A>>;

/** One row of the operator interface. */
export interface OperatorRoute<P = unknown, Q = unknown, B = unknown, A = unknown> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  /** What the audit trail calls it, the command line, and the document as its operationId. */
  action: string;
  tag: OperatorTag;
  summary: string;
  /** More than the summary, in Markdown. */
  description: string;
  /** The operator's key, or the signature of a verification provider. */
  guard: 'admin_key' | 'provider_signature';
  /**
   * When the body may say who somebody is: the audit trail, which is kept for ever, does not record
   * it then. A call that is refused may have whatever somebody put into it by mistake, in its path
   * as well, of which the trail then has the pattern, and no target but an id.
   */
  personal?: 'always' | 'when_refused';
  params?: ZodType<P>;
  query?: ZodType<Q>;
  body?: ZodType<B>;
  /** False where an empty body is fine (default: a body schema means a body is required). */
  bodyRequired?: false;
  /** Every success, by status, with the schema of its body (null: no body). */
  responses: Record<number, ZodType<A> | null>;
  /** Media type of a success that is not JSON. */
  contentType?: string;
  /** Statuses of errors besides those that any call may meet. */
  errors?: ReadonlyArray<404 | 409>;
  handler: OperatorHandler<P, Q, B, NoInfer<A>>;
}

type Row<P, Q, B, A> = Omit<OperatorRoute<P, Q, B, A>, 'guard'> &
  Partial<Pick<OperatorRoute, 'guard'>>;

/** Checks that handler and schemas agree, and forgets the types for the table. */
export function operatorRoute<P, Q, B, A>(row: Row<P, Q, B, A>): OperatorRoute {
  return { guard: 'admin_key', ...row } as unknown as OperatorRoute;
}
