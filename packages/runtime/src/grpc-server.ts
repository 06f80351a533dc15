import { isEnvironment } from '@countersign/kernel/environment';
import { Fault } from '@countersign/kernel/fault';
import { newId } from '@countersign/kernel/id';
import {
  type handleUnaryCall,
  type Metadata,
  Server,
  type ServerUnaryCall,
  type ServiceDefinition,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { bracketed } from './grpc/addresses.js';
import { type CallFacts, createDispatcher, type Dispatcher } from './grpc/dispatcher.js';
import { toGrpcError } from './grpc/fault.js';
import { widenConnections, widenStreams } from './grpc/flow-window.js';
import { addHealthService } from './grpc/health-service.js';
import type { GrpcTransport } from './grpc/transport.js';
import { defaultDeadlineMs, type Handlers, metadataKeys } from './grpc-types.js';
import type { HealthChecks } from './health.js';
import type { Lifecycle } from './lifecycle.js';
import type { Logger } from './log.js';
import type { Metrics } from './metrics.js';
import { StreamServer } from './stream/server.js';
import { carrierOf, type Tracer } from './trace.js';

export interface GrpcServerOptions<D> {
  service: D & ServiceDefinition;
  handlers: Handlers<D>;
  /** `countersign.v1.Multiplex`, if clients may keep a stream open for the hot RPCs. */
  multiplex?: ServiceDefinition;
  host: string;
  port: number;
  transport: GrpcTransport;
  log: Logger;
  metrics: Metrics;
  lifecycle: Lifecycle;
  /** What the service needs to be ready; default: nothing. */
  checks?: HealthChecks;
  /** Null or absent if tracing is off. */
  tracer?: Tracer | null;
}

const maxMessageBytes = 4 * 1024 * 1024;
const finishCapMs = 8_000;

/** Serves one contract plus gRPC health, until the lifecycle ends. Returns the port it got. */
export async function startGrpcServer<D>(options: GrpcServerOptions<D>): Promise<number> {
  const server = new Server({
    'grpc.max_receive_message_length': maxMessageBytes,
    // Connections are renewed so that clients discover new replicas.
    'grpc.max_connection_age_ms': 60_000,
    // Longer than the lifetime of a stream, so that none is cut with calls in flight.
    'grpc.max_connection_age_grace_ms': 30_000,
    'grpc.keepalive_time_ms': 10_000,
    'grpc.keepalive_timeout_ms': 2_000,
  });
  widenStreams(server);
  const dispatcher = createDispatcher(options);
  server.addService(options.service, unaryMethods(dispatcher));
  const streams = new StreamServer({ dispatcher, codecs: options.service, log: options.log });
  if (options.multiplex) server.addService(options.multiplex, { Open: streams.open });
  const health = addHealthService(server, options.checks ?? {});
  const port = await bind(server, options);
  widenConnections(server);
  options.lifecycle.onShutdown('grpc server', () => {
    health.setStatus('', 'NOT_SERVING');
    streams.close();
    return finish(server);
  });
  return port;
}

function unaryMethods(dispatcher: Dispatcher): UntypedServiceImplementation {
  const wrapped: UntypedServiceImplementation = {};
  for (const method of dispatcher.methods.keys()) {
    const unary: handleUnaryCall<unknown, unknown> = (call, callback) => {
      Promise.resolve()
        .then(() => dispatcher.answer(method, call.request, readFacts(call)))
        .then(
          (response) => callback(null, response),
          (error: unknown) => callback(toGrpcError(error)),
        );
    };
    wrapped[method] = unary;
  }
  return wrapped;
}

function readFacts(call: ServerUnaryCall<unknown, unknown>): CallFacts {
  const environment = first(call.metadata, metadataKeys.environment);
  if (!isEnvironment(environment)) {
    throw new Fault('internal', { message: 'no environment was named' });
  }
  const deadline = call.getDeadline();
  const traceparent = first(call.metadata, metadataKeys.traceparent);
  const givenMs = typeof deadline === 'number' ? deadline : deadline.getTime();
  return {
    environment,
    requestId: first(call.metadata, metadataKeys.requestId) ?? newId('event'),
    deadlineAt: Number.isFinite(givenMs) ? givenMs : Date.now() + defaultDeadlineMs,
    carrier: traceparent
      ? carrierOf(traceparent, first(call.metadata, metadataKeys.tracestate))
      : null,
  };
}

function first(metadata: Metadata, key: string): string | undefined {
  const [value] = metadata.get(key);
  return typeof value === 'string' ? value : undefined;
}

type Binding = Pick<GrpcServerOptions<unknown>, 'host' | 'port' | 'transport'>;

function bind(server: Server, { host, port: wanted, transport }: Binding): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(`${bracketed(host)}:${wanted}`, transport.server(), (error, port) => {
      if (error) reject(error);
      else resolve(port);
    });
  });
}

/** Finishes the calls in flight; those that exceed the cap are cancelled. */
function finish(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => {
      server.forceShutdown();
      resolve();
    }, finishCapMs);
    server.tryShutdown(() => {
      clearTimeout(cut);
      resolve();
    });
  });
}
