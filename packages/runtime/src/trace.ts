import type { TraceCarrier } from '@countersign/kernel/event';
import { Fault, isCallerMistake } from '@countersign/kernel/fault';

export type { TraceCarrier } from '@countersign/kernel/event';

export type SpanKind = 'server' | 'client' | 'consumer' | 'internal';

/**
 * All attributes that a span may have. The list is closed, because a tracing backend is often run
 * by a third party: no amounts, names, addresses, principals, free text of callers, or secrets.
 */
export interface SpanFacts {
  'http.request.method'?: string;
  'http.route'?: string;
  'http.response.status_code'?: number;
  'rpc.system'?: 'grpc';
  'rpc.service'?: string;
  'rpc.method'?: string;
  'db.system.name'?: 'postgresql' | 'redis';
  'db.operation.name'?: string;
  'messaging.system'?: 'nats';
  'messaging.operation.type'?: 'process';
  'messaging.destination.name'?: string;
  'messaging.message.id'?: string;
  /** An error code of this system, never the message of an error. */
  'error.type'?: string;
  'countersign.environment'?: string;
  'countersign.authorization.id'?: string;
  /** Only for an agent that exists: an unverified id would be free text of the caller. */
  'countersign.agent.id'?: string;
  'countersign.decision'?: string;
  'countersign.reason_codes'?: string[];
  'countersign.replayed'?: boolean;
  'countersign.commit.outcome'?: string;
  /** How many items shared a round trip. */
  'countersign.batch.size'?: number;
  'countersign.webhook.id'?: string;
  'countersign.webhook.event'?: string;
  'countersign.delivery.id'?: string;
  'countersign.delivery.attempt'?: number;
  'countersign.delivery.outcome'?: string;
  'countersign.settlement.id'?: string;
  'countersign.settlement.status'?: string;
  'countersign.settlement.confirmations'?: number;
  'countersign.chain'?: string;
}

/** A span in progress of a request that is traced. */
export interface TraceSpan {
  readonly traceId: string;
  /** Context for the process that continues this span. */
  readonly carrier: TraceCarrier;
  child(name: string, facts?: SpanFacts, kind?: SpanKind): TraceSpan;
  /** Sets the name if it becomes known only after the start. */
  rename(name: string): void;
  set(facts: SpanFacts): void;
  /** Marks an error; a decline is not one. */
  fail(errorType: string): void;
  end(): void;
}

/** Null for requests that are not sampled, and for all if tracing is off. */
export type Trace = TraceSpan | null;

/** The trace headers of a request. */
export type TraceHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Null in a process where tracing is off. */
export interface Tracer {
  /** At the edge: decides whether a request is traced; null if it is not. */
  begin(headers: TraceHeaders): Trace;
  /** Continues a trace of another process; null if its context is invalid. */
  resume(carrier: TraceCarrier, name: string, options: ResumeOptions): Trace;
}

export interface ResumeOptions {
  kind: SpanKind;
  facts?: SpanFacts;
}

/** From transport fields, where an empty text means absent. */
export function carrierOf(traceparent: string, tracestate: string | undefined): TraceCarrier {
  return tracestate ? { traceparent, tracestate } : { traceparent };
}

/** Ends the span when the promise settles; the same promise if nothing is traced. */
export function ending<T>(span: TraceSpan | null | undefined, work: Promise<T>): Promise<T> {
  return span ? endAfter(span, work) : work;
}

async function endAfter<T>(span: TraceSpan, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    blame(span, error);
    throw error;
  } finally {
    span.end();
  }
}

/** A mistake of the caller is noted, but does not mark the span as failed. */
export function blame(span: TraceSpan, error: unknown): void {
  const code = error instanceof Fault ? error.code : 'INTERNAL_ERROR';
  if (isCallerMistake(error)) span.set({ 'error.type': code });
  else span.fail(code);
}
