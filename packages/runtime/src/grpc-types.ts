import type { Environment } from '@countersign/kernel/environment';
import type { MethodDefinition } from '@grpc/proto-loader';
import type { Logger } from './log.js';
import type { Trace } from './trace.js';

/** Context of a call besides its request. */
export interface Call {
  environment: Environment;
  requestId: string;
  log: Logger;
  /** Epoch milliseconds; calls made for this one must end before it. */
  deadlineAt: number;
  /** Calls made on behalf of this one become part of its trace, if it has one. */
  trace?: Trace;
}

/**
 * Options of a call besides the request. The deadline applies to this call alone, in milliseconds.
 */
export interface CallOptions {
  environment: Environment;
  requestId: string;
  deadlineMs?: number;
  trace?: Trace | undefined;
}

// biome-ignore lint/suspicious/noExplicitAny: only the other two positions of the type matter.
type Ignored = any;

/** The implementation of a service: every RPC of its definition, by its name in the .proto. */
export type Handlers<D> = {
  [K in keyof D as D[K] extends MethodDefinition<Ignored, Ignored, Ignored, Ignored>
    ? K
    : never]: D[K] extends MethodDefinition<Ignored, infer Response, infer Request, Ignored>
    ? (request: Request, call: Call) => Promise<Response>
    : never;
};

/** The callable side of the same definition. */
export type Methods<D> = {
  [K in keyof D as D[K] extends MethodDefinition<Ignored, Ignored, Ignored, Ignored>
    ? K
    : never]: D[K] extends MethodDefinition<infer Request, Ignored, Ignored, infer Response>
    ? (request: Request, options: CallOptions) => Promise<Response>
    : never;
};

export const metadataKeys = {
  environment: 'x-environment',
  requestId: 'x-request-id',
  traceparent: 'traceparent',
  tracestate: 'tracestate',
  fault: 'fault-bin',
} as const;

/** Used if a caller sets no deadline. */
export const defaultDeadlineMs = 5_000;
