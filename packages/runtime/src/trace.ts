import type { TraceCarrier } from '@countersign/kernel/event';
import { Fault, isCallerMistake } from '@countersign/kernel/fault';

export type { TraceCarrier } from '@countersign/kernel/event';

export type SpanKind = 'server' | 'client' | 'consumer' | 'internal';

/**
 * Everything that a span may say. The list is closed, because a tracing backend is often somebody
 * else's: no amount, no name, no address, no principal, no text that a caller wrote, no secret.
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
  /** A code of ours, never the message of an error. */
  'error.type'?: string;
  'countersign.environment'?: string;
  'countersign.authorization.id'?: string;
  /** Only of an agent that is known: what a caller sent is a text like any other. */
  'countersign.agent.id'?: string;
  'countersign.decision'?: string;
  'countersign.reason_codes'?: string[];
  'countersign.replayed'?: boolean;
  'countersign.commit.outcome'?: string;
  /** How many shared a round trip. */
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

/** A step under way of a request that is traced. */
export interface TraceSpan {
  readonly traceId: string;
  /** What a process that goes on with this step is told. */
  readonly carrier: TraceCarrier;
  child(name: string, facts?: SpanFacts, kind?: SpanKind): TraceSpan;
  /** The name, where it becomes known after the beginning. */
  rename(name: string): void;
  set(facts: SpanFacts): void;
  /** It went wrong; a decline did not. */
  fail(errorType: string): void;
  end(): void;
}

/** Null for most requests, and for all of them where nobody looks at traces. */
export type Trace = TraceSpan | null;

/** What the headers of a request say of a trace that it is part of already. */
export type TraceHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** There is one in a process where traces are on, and null elsewhere. */
export interface Tracer {
  /** At the edge, where it is decided whether a request is traced; null where it is not. */
  begin(headers: TraceHeaders): Trace;
  /** Goes on with what another process began; null where that is not to be understood. */
  resume(carrier: TraceCarrier, name: string, options: ResumeOptions): Trace;
}

export interface ResumeOptions {
  kind: SpanKind;
  facts?: SpanFacts;
}

/** As a transport has it, where nothing and an empty text are the same. */
export function carrierOf(traceparent: string, tracestate: string | undefined): TraceCarrier {
  return tracestate ? { traceparent, tracestate } : { traceparent };
}

/** The same promise where nothing is traced; else one that ends the span first. */
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

/** What somebody else got wrong is told, and is no failure of the step that found it out. */
export function blame(span: TraceSpan, error: unknown): void {
  const code = error instanceof Fault ? error.code : 'INTERNAL_ERROR';
  if (isCallerMistake(error)) span.set({ 'error.type': code });
  else span.fail(code);
}
