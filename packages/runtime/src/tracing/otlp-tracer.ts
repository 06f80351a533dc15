import { randomUUID } from 'node:crypto';
import {
  SpanKind as OtelKind,
  type Tracer as OtelTracer,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { parseTraceParent, TraceState } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { AlwaysOnSampler, TracerProvider } from '@opentelemetry/sdk-trace';
import type {
  ResumeOptions,
  SpanFacts,
  SpanKind,
  Trace,
  TraceCarrier,
  TraceHeaders,
  Tracer,
  TraceSpan,
} from '../trace.js';
import { edgeSampler, type Sample } from './edge-sampling.js';
import type { TracingOptions } from './options.js';
import { SpanQueue } from './span-queue.js';

/** For one export including its retries; ending a span never waits for it. */
const exportDeadlineMs = 10_000;

const kinds: Record<SpanKind, OtelKind> = {
  server: OtelKind.SERVER,
  client: OtelKind.CLIENT,
  consumer: OtelKind.CONSUMER,
  internal: OtelKind.INTERNAL,
};

/**
 * The only module that imports the libraries of OpenTelemetry, loaded only if tracing is on. Parent
 * spans are passed explicitly: there is no context propagation through asynchronous calls and no
 * instrumentation of other modules.
 */
export function createOtlpTracer(options: TracingOptions): Tracer {
  const { settings, metrics, log, lifecycle } = options;
  const exporter = new OTLPTraceExporter({
    url: `${settings.endpoint}/v1/traces`,
    headers: settings.headers,
    timeoutMillis: exportDeadlineMs,
  });
  const queue = new SpanQueue({ exporter, metrics, log, ...options.queue });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': settings.serviceName,
      'service.namespace': 'countersign',
      'service.instance.id': randomUUID(),
    }),
    // Sampling is decided before a span is created, so every span that gets here is kept.
    sampler: new AlwaysOnSampler(),
    spanProcessors: [queue],
  });
  lifecycle.onShutdown('traces', () => queue.shutdown());
  return new OtlpTracer(provider.getTracer('countersign'), options);
}

class OtlpTracer implements Tracer {
  readonly #otel: OtelTracer;
  readonly #sample: Sample;
  readonly #followCallers: boolean;

  constructor(otel: OtelTracer, { edge }: TracingOptions) {
    this.#otel = otel;
    this.#followCallers = edge?.followCallers ?? false;
    this.#sample = edge ? edgeSampler(edge) : () => false;
  }

  begin({ traceparent, tracestate }: TraceHeaders): Trace {
    const follow = this.#followCallers;
    // If callers are not trusted, the decision needs no header, so none is parsed for requests that
    // are not sampled.
    if (!follow && !this.#sample(null)) return null;
    const parent = contextOf(traceparent, follow ? tracestate : undefined);
    const callerKeeps = parent && (parent.traceFlags & TraceFlags.SAMPLED) !== 0;
    if (follow && !this.#sample(callerKeeps)) return null;
    return this.#start('HTTP', parent, { kind: 'server' });
  }

  resume({ traceparent, tracestate }: TraceCarrier, name: string, options: ResumeOptions): Trace {
    const parent = contextOf(traceparent, tracestate);
    return parent && this.#start(name, parent, options);
  }

  #start(name: string, parent: SpanContext | null, { kind, facts }: ResumeOptions): TraceSpan {
    const context = parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
    const options = { kind: kinds[kind], ...(facts && { attributes: { ...facts } }) };
    return new OtlpSpan(this.#otel, this.#otel.startSpan(name, options, context));
  }
}

class OtlpSpan implements TraceSpan {
  readonly #otel: OtelTracer;
  readonly #span: Span;
  readonly carrier: TraceCarrier;

  constructor(otel: OtelTracer, span: Span) {
    this.#otel = otel;
    this.#span = span;
    const { traceId, spanId, traceState } = span.spanContext();
    const tracestate = traceState?.serialize();
    const traceparent = `00-${traceId}-${spanId}-01`;
    this.carrier = tracestate ? { traceparent, tracestate } : { traceparent };
  }

  get traceId(): string {
    return this.#span.spanContext().traceId;
  }

  child(name: string, facts?: SpanFacts, kind: SpanKind = 'internal'): TraceSpan {
    const options = { kind: kinds[kind], ...(facts && { attributes: { ...facts } }) };
    const context = trace.setSpan(ROOT_CONTEXT, this.#span);
    return new OtlpSpan(this.#otel, this.#otel.startSpan(name, options, context));
  }

  rename(name: string): void {
    this.#span.updateName(name);
  }

  set(facts: SpanFacts): void {
    this.#span.setAttributes({ ...facts });
  }

  fail(errorType: string): void {
    this.#span.setAttribute('error.type', errorType);
    this.#span.setStatus({ code: SpanStatusCode.ERROR });
  }

  end(): void {
    if (this.#span.isRecording()) this.#span.end();
  }
}

/** A header that violates the specification, or that is given twice, is ignored. */
function contextOf(
  traceparent: string | string[] | undefined,
  tracestate: string | string[] | undefined,
): SpanContext | null {
  if (typeof traceparent !== 'string') return null;
  const context = parseTraceParent(traceparent);
  if (!context) return null;
  const state = typeof tracestate === 'string' ? new TraceState(tracestate) : undefined;
  return { ...context, isRemote: true, ...(state && { traceState: state }) };
}
