import type { Environment } from '@countersign/kernel/environment';
import type { MethodDefinition } from '@grpc/proto-loader';
import type { Logger } from './log.js';
import type { Trace } from './trace.js';

/** What a handler knows of the call besides its request. */
export interface Call {
  environment: Environment;
  requestId: string;
  log: Logger;
  /** Epoch milliseconds; calls made for this one must end before it. */
  deadlineAt: number;
  /** What is made for this call becomes part of its trace, where it has one. */
  trace?: Trace;
}

/** What a caller says besides the request. The deadline is this call's own, in milliseconds. */
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

/** Used where a caller names no deadline. */
export const defaultDeadlineMs = 5_000;
