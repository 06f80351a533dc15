import { Fault } from '@countersign/kernel/fault';
import {
  Client,
  type ClientOptions,
  credentials,
  Metadata,
  type ServiceDefinition,
} from '@grpc/grpc-js';
import { fromGrpcError } from './grpc-fault.js';
import { type CallOptions, defaultDeadlineMs, type Methods, metadataKeys } from './grpc-types.js';
import type { Metrics } from './metrics.js';

export interface GrpcClientOptions<D> {
  service: D & ServiceDefinition;
  /** `host:port`; a headless name with several addresses is balanced round robin. */
  address: string;
  metrics: Metrics;
  /** Methods that would act twice if the transport sent them twice. */
  neverRetried?: ReadonlyArray<keyof Methods<D> & string>;
}

export interface GrpcClient<D> {
  readonly call: Methods<D>;
  /** Rejects while no connection is up; asks for one. For health checks. */
  ready(deadlineMs: number): Promise<void>;
  close(): void;
}

/** Every call has a deadline, and every failure is a Fault. */
export function createGrpcClient<D>(options: GrpcClientOptions<D>): GrpcClient<D> {
  const client = new Client(
    options.address,
    credentials.createInsecure(),
    channelOptions(options.service, new Set<string>(options.neverRetried)),
  );
  const call: Record<string, unknown> = {};
  for (const [name, method] of Object.entries(options.service)) {
    call[name] = (request: unknown, callOptions: CallOptions) =>
      new Promise((resolve, reject) => {
        options.metrics.roundTrip('grpc');
        client.makeUnaryRequest(
          method.path,
          method.requestSerialize,
          method.responseDeserialize,
          request,
          callMetadata(callOptions),
          { deadline: Date.now() + (callOptions.deadlineMs ?? defaultDeadlineMs) },
          (error, response) => {
            if (error) reject(fromGrpcError(error, name));
            else resolve(response);
          },
        );
      });
  }
  return {
    call: call as Methods<D>,
    ready: (deadlineMs) => waitForReady(client, deadlineMs),
    close: () => client.close(),
  };
}

function callMetadata({ environment, requestId }: CallOptions): Metadata {
  // A replica that is being restarted is waited for, within the deadline.
  const metadata = new Metadata({ waitForReady: true });
  metadata.set(metadataKeys.environment, environment);
  metadata.set(metadataKeys.requestId, requestId);
  return metadata;
}

function waitForReady(client: Client, deadlineMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    client.waitForReady(Date.now() + deadlineMs, (error) => {
      if (!error) return resolve();
      reject(new Fault('unavailable', { code: 'SERVICE_UNAVAILABLE', message: 'not connected' }));
    });
  });
}

/** The library's defaults hang for ever on a stopped server and reconnect after seconds. */
function channelOptions(service: ServiceDefinition, neverRetried: Set<string>): ClientOptions {
  const retried = Object.entries(service)
    .filter(([name]) => !neverRetried.has(name))
    .map(([, method]) => splitPath(method.path));
  const serviceConfig = {
    loadBalancingConfig: [{ round_robin: {} }],
    methodConfig: [
      {
        name: retried,
        retryPolicy: {
          maxAttempts: 4,
          initialBackoff: '0.05s',
          maxBackoff: '0.5s',
          backoffMultiplier: 2,
          retryableStatusCodes: ['UNAVAILABLE'],
        },
      },
    ],
  };
  return {
    'grpc.service_config': JSON.stringify(serviceConfig),
    'grpc.keepalive_time_ms': 5_000,
    'grpc.keepalive_timeout_ms': 1_000,
    'grpc.initial_reconnect_backoff_ms': 50,
    'grpc.max_reconnect_backoff_ms': 500,
    'grpc.max_receive_message_length': 4 * 1024 * 1024,
  };
}

function splitPath(path: string): { service: string; method: string } {
  const [, service = '', method = ''] = path.split('/');
  return { service, method };
}
