import type { Environment } from '@countersign/kernel/environment';
import { Fault } from '@countersign/kernel/fault';
import type { ServiceDefinition } from '@grpc/grpc-js';
import { connectivityFault } from '../connectivity.js';
import type { Call } from '../grpc-types.js';
import type { Logger } from '../log.js';
import type { Metrics } from '../metrics.js';
import { blame, type Trace, type TraceCarrier, type Tracer } from '../trace.js';
import { isStrayCall, strayCall } from './fault.js';
import { rpcSpans } from './span.js';

interface DispatcherOptions {
  /** Every RPC of a contract by its name in the .proto. */
  handlers: object;
  log: Logger;
  metrics: Metrics;
  service: ServiceDefinition;
  tracer?: Tracer | null;
}

export interface CallFacts {
  environment: Environment;
  requestId: string;
  deadlineAt: number;
  /** Null if the caller sent no trace context. */
  carrier: TraceCarrier | null;
}

type Handler = (request: unknown, call: Call) => Promise<unknown>;

/** Dispatches calls to handlers, whether they arrive as unary RPCs or as frames of a stream. */
export interface Dispatcher {
  methods: ReadonlyMap<string, Handler>;
  answer(method: string, request: unknown, facts: CallFacts): Promise<unknown>;
}

export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const methods = new Map<string, Handler>(Object.entries(options.handlers));
  const seconds = options.metrics.histogram('grpc_server_seconds', 'time to answer a call', [
    'method',
    'outcome',
  ]);
  const resumed = tracedCalls(options);
  return {
    methods,
    async answer(method, request, facts) {
      const trace = facts.carrier && resumed(facts, facts.carrier, method);
      const call = new ServedCall({ facts, method, trace }, options.log);
      const started = performance.now();
      let outcome = 'ok';
      try {
        const handler = methods.get(method);
        if (!handler) throw strayCall(method);
        return await handler(request, call);
      } catch (thrown) {
        const error = connectivityFault(thrown);
        outcome = error instanceof Fault ? error.code : 'INTERNAL_ERROR';
        report(call, error, error !== thrown);
        if (trace) blame(trace, error);
        throw error;
      } finally {
        trace?.end();
        seconds.observe({ method, outcome }, (performance.now() - started) / 1_000);
      }
    },
  };
}

/** Continues the caller's trace if tracing is on. */
function tracedCalls({ tracer = null, service }: DispatcherOptions) {
  const spans = rpcSpans(service);
  return ({ environment }: CallFacts, carrier: TraceCarrier, method: string): Trace => {
    const span = spans.get(method);
    if (!tracer || !span) return null;
    const facts = { ...span.facts, 'countersign.environment': environment };
    return tracer.resume(carrier, span.name, { kind: 'server', facts });
  };
}

interface Served {
  facts: CallFacts;
  method: string;
  trace: Trace;
}

/** The child logger is created lazily, because most calls write no log line. */
class ServedCall implements Call {
  readonly environment: Environment;
  readonly requestId: string;
  readonly deadlineAt: number;
  readonly trace: Trace;
  readonly #method: string;
  readonly #parent: Logger;
  #log: Logger | undefined;

  constructor({ facts, method, trace }: Served, parent: Logger) {
    this.trace = trace;
    this.environment = facts.environment;
    this.requestId = facts.requestId;
    this.deadlineAt = facts.deadlineAt;
    this.#method = method;
    this.#parent = parent;
  }

  get log(): Logger {
    this.#log ??= this.#parent.child({
      method: this.#method,
      requestId: this.requestId,
      environment: this.environment,
      ...(this.trace && { trace_id: this.trace.traceId }),
    });
    return this.#log;
  }
}

/**
 * Only defects are errors. A database that is away is a warning, since no other process can tell
 * what is wrong with it; mistakes of callers are logged at debug level.
 */
function report(call: Call, error: unknown, isStoreAway: boolean): void {
  const ours = !(error instanceof Fault) || error.kind === 'internal';
  if (ours) call.log.error({ err: error }, 'call failed');
  else if (isStrayCall(error)) call.log.warn({ err: error }, 'call of another service');
  else if (isStoreAway) call.log.warn({ err: error }, 'call could not be carried out');
  else call.log.debug({ err: error }, 'call refused');
}
