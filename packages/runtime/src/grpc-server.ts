import { type Environment, isEnvironment } from '@countersign/kernel/environment';
import { Fault } from '@countersign/kernel/fault';
import { newId } from '@countersign/kernel/id';
import {
  type handleUnaryCall,
  type Metadata,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServiceDefinition,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { HealthImplementation } from 'grpc-health-check';
import { toGrpcError } from './grpc-fault.js';
import { type Call, defaultDeadlineMs, type Handlers, metadataKeys } from './grpc-types.js';
import type { Lifecycle } from './lifecycle.js';
import type { Logger } from './log.js';
import type { Metrics } from './metrics.js';

export interface GrpcServerOptions<D> {
  service: D & ServiceDefinition;
  handlers: Handlers<D>;
  host: string;
  port: number;
  log: Logger;
  metrics: Metrics;
  lifecycle: Lifecycle;
}

const maxMessageBytes = 4 * 1024 * 1024;
const finishCapMs = 8_000;

/** Serves one contract plus gRPC health, until the lifecycle ends. Returns the port it got. */
export async function startGrpcServer<D>(options: GrpcServerOptions<D>): Promise<number> {
  const server = new Server({
    'grpc.max_receive_message_length': maxMessageBytes,
    // Connections are renewed so that clients find replicas that came later.
    'grpc.max_connection_age_ms': 60_000,
    'grpc.max_connection_age_grace_ms': 10_000,
    'grpc.keepalive_time_ms': 10_000,
    'grpc.keepalive_timeout_ms': 2_000,
  });
  server.addService(options.service, implementation(options));
  const health = new HealthImplementation({ '': 'SERVING' });
  health.addToServer(server);
  const port = await bind(server, `${options.host}:${options.port}`);
  options.lifecycle.onShutdown('grpc server', () => {
    health.setStatus('', 'NOT_SERVING');
    return finish(server);
  });
  return port;
}

function implementation<D>(options: GrpcServerOptions<D>): UntypedServiceImplementation {
  const seconds = options.metrics.histogram('grpc_server_seconds', 'time to answer a call', [
    'method',
    'outcome',
  ]);
  const wrapped: UntypedServiceImplementation = {};
  for (const [method, handler] of Object.entries<unknown>(options.handlers)) {
    const answer = handler as (request: unknown, call: Call) => Promise<unknown>;
    const unary: handleUnaryCall<unknown, unknown> = (grpcCall, callback) => {
      const stop = seconds.startTimer({ method });
      const log = options.log.child({ method });
      Promise.resolve()
        .then(() => answer(grpcCall.request, readCall(grpcCall, log)))
        .then(
          (response) => {
            stop({ outcome: 'ok' });
            callback(null, response);
          },
          (error: unknown) => {
            stop({ outcome: error instanceof Fault ? error.code : 'INTERNAL_ERROR' });
            report(log, grpcCall.metadata, error);
            callback(toGrpcError(error));
          },
        );
    };
    wrapped[method] = unary;
  }
  return wrapped;
}

function readCall(call: ServerUnaryCall<unknown, unknown>, log: Logger): Call {
  const environment = first(call.metadata, metadataKeys.environment);
  if (!isEnvironment(environment)) {
    throw new Fault('internal', { code: 'INTERNAL_ERROR', message: 'no environment was named' });
  }
  const requestId = first(call.metadata, metadataKeys.requestId) ?? newId('event');
  const deadline = call.getDeadline();
  const givenMs = typeof deadline === 'number' ? deadline : deadline.getTime();
  return {
    environment: environment satisfies Environment,
    requestId,
    log: log.child({ requestId, environment }),
    deadlineAt: Number.isFinite(givenMs) ? givenMs : Date.now() + defaultDeadlineMs,
  };
}

function first(metadata: Metadata, key: string): string | undefined {
  const [value] = metadata.get(key);
  return typeof value === 'string' ? value : undefined;
}

/** A caller's mistake is an answer; only what is ours to mend is an error in the log. */
function report(log: Logger, metadata: Metadata, error: unknown): void {
  const requestId = first(metadata, metadataKeys.requestId);
  const ours = !(error instanceof Fault) || error.kind === 'internal';
  if (ours) log.error({ err: error, requestId }, 'call failed');
  else log.debug({ err: error, requestId }, 'call refused');
}

function bind(server: Server, address: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), (error, port) => {
      if (error) reject(error);
      else resolve(port);
    });
  });
}

/** Finishes the calls it has taken; what hangs past the cap is cut. */
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
