import type { z } from 'zod';
import type { Context } from './context.js';
import type { Reply, RouteRequest } from './request.js';

type Output<S> = S extends z.ZodType ? z.output<S> : unknown;

/** The type of a handler by the schemas of its row: path, query, body. */
export type Handler<
  S extends { params?: z.ZodType; query?: z.ZodType; body?: z.ZodType } = object,
> = (
  context: Context,
  request: RouteRequest<
    S extends { params: infer P } ? Output<P> : Record<string, string>,
    S extends { query: infer Q } ? Output<Q> : unknown,
    S extends { body: infer B } ? Output<B> : undefined
  >,
) => Promise<Reply>;
