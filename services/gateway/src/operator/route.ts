import type { ZodType } from 'zod';
import type { Context } from '../context.js';
import type { Reply } from '../request.js';

/** Everything an operator handler knows of a request; all of it validated. */
export interface OperatorRequest<P = unknown, Q = unknown, B = unknown> {
  requestId: string;
  params: P;
  query: Q;
  body: B;
  deadlineAt: number;
}

export type OperatorHandler<P, Q, B> = (
  context: Context,
  request: OperatorRequest<P, Q, B>,
) => Promise<Reply>;

/** One row of the operator interface. */
export interface OperatorRoute<P = unknown, Q = unknown, B = unknown> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  /** What the audit trail calls it. */
  action: string;
  /** The operator's key, or the signature of a verification provider. */
  guard: 'admin_key' | 'provider_signature';
  /**
   * When the body may say who somebody is: the audit trail, which is kept for ever, does not record
   * it then. A body that is refused may have whatever somebody put into it by mistake.
   */
  personal?: 'always' | 'when_refused';
  params?: ZodType<P>;
  query?: ZodType<Q>;
  body?: ZodType<B>;
  handler: OperatorHandler<P, Q, B>;
}

type Row<P, Q, B> = Omit<OperatorRoute<P, Q, B>, 'guard'> & Partial<Pick<OperatorRoute, 'guard'>>;

/** Checks that handler and schemas agree, and forgets the types for the table. */
export function operatorRoute<P, Q, B>(row: Row<P, Q, B>): OperatorRoute {
  return { guard: 'admin_key', ...row } as unknown as OperatorRoute;
}
