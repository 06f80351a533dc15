import { Client, Metadata, type ServiceDefinition } from '@grpc/grpc-js';
import type { MethodDefinition } from '@grpc/proto-loader';
import { channelTarget } from './grpc/addresses.js';
import { channelOptions } from './grpc/channel-options.js';
import { fromGrpcError, isStrayCall } from './grpc/fault.js';
import { checkServing } from './grpc/serving-check.js';
import { type RpcSpan, rpcSpan } from './grpc/span.js';
import type { GrpcTransport } from './grpc/transport.js';
import { type CallOptions, defaultDeadlineMs, type Methods, metadataKeys } from './grpc-types.js';
import type { Lifecycle } from './lifecycle.js';
import type { Metrics } from './metrics.js';
import { assertRepeatable } from './repeatable.js';
import { StreamBalancer } from './stream/balancer.js';
import type { Frames } from './stream/frames.js';
import { StreamBroken } from './stream/open-stream.js';
import { ending, type TraceSpan } from './trace.js';

interface GrpcClientOptions<D> {
  service: D & ServiceDefinition;
  /** `host:port` or a comma-separated list; calls are balanced over the replicas behind it. */
  address: string;
  transport: GrpcTransport;
  metrics: Metrics;
  /** Hot methods that use a stream while one is up; they must be safe to repeat. */
  streamed?: { open: MethodDefinition<Frames, Frames, Frames, Frames>; methods: string[] };
}

export interface GrpcClient<D> {
  readonly call: Methods<D>;
  /** Rejects unless a server answers that it is serving; connects if need be. For health checks. */
  ready(deadlineMs: number): Promise<void>;
  close(): void;
}

type Caller = (request: unknown, options: CallOptions) => Promise<unknown>;
type Rpc = ServiceDefinition[string];

/** Every call has a deadline, and every failure is a Fault. */
export function createGrpcClient<D>(options: GrpcClientOptions<D>): GrpcClient<D> {
  const { address, streamed, transport } = options;
  const { credentials, options: secured } = transport.client(address);
  const channel = { ...channelOptions(options.service), ...secured };
  assertRepeatable(options.service, streamed?.methods ?? []);
  const client = new Client(channelTarget(address), credentials, channel);
  const streams = streamed && new StreamBalancer({ address, ...streamed, credentials, channel });
  const call: Record<string, Caller> = {};
  for (const [name, rpc] of Object.entries(options.service)) {
    const unary = unaryCaller(client, name, rpc);
    const counted: Caller = (request, callOptions) => {
      options.metrics.roundTrip('grpc');
      return unary(request, callOptions);
    };
    const hot = streams && streamed?.methods.includes(name);
    const caller = hot ? streamCaller(streams, { name, rpc, unary: counted, options }) : counted;
    call[name] = traceable(caller, rpcSpan(rpc.path));
  }
  return {
    call: call as unknown as Methods<D>,
    ready: (deadlineMs) => checkServing(client, deadlineMs),
    close: () => {
      streams?.close();
      client.close();
    },
  };
}

interface ClientParts {
  transport: GrpcTransport;
  metrics: Metrics;
  lifecycle: Lifecycle;
}

/** A client that is closed with the lifecycle. */
export function openGrpcClient<D>(
  { transport, metrics, lifecycle }: ClientParts,
  options: Pick<GrpcClientOptions<D>, 'service' | 'address' | 'streamed'> & { name: string },
): GrpcClient<D> {
  const client = createGrpcClient<D>({ ...options, transport, metrics });
  lifecycle.onShutdown(`${options.name} client`, () => client.close());
  return client;
}

/** Wraps a call of a traced request in a span, which the server continues. */
function traceable(caller: Caller, span: RpcSpan): Caller {
  return (request, callOptions) =>
    callOptions.trace
      ? traced(caller, span, { request, callOptions, parent: callOptions.trace })
      : caller(request, callOptions);
}

function traced(
  caller: Caller,
  { name, facts }: RpcSpan,
  call: { request: unknown; callOptions: CallOptions; parent: TraceSpan },
): Promise<unknown> {
  const { environment } = call.callOptions;
  const about = { ...facts, 'countersign.environment': environment };
  const trace = call.parent.child(name, about, 'client');
  return ending(trace, caller(call.request, { ...call.callOptions, trace }));
}

function unaryCaller(client: Client, name: string, rpc: Rpc): Caller {
  return (request, callOptions) =>
    new Promise((resolve, reject) => {
      client.makeUnaryRequest(
        rpc.path,
        rpc.requestSerialize,
        rpc.responseDeserialize,
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

interface StreamedMethod {
  name: string;
  rpc: Rpc;
  unary: Caller;
  options: { metrics: Metrics };
}

/**
 * Uses a stream while one is up, else the unary call, also to repeat a call whose stream broke. A
 * stream that led to another service is out of use by then, so the next one leads elsewhere.
 */
function streamCaller(streams: StreamBalancer, method: StreamedMethod): Caller {
  const { name, rpc, unary, options } = method;
  return async (request, callOptions) => {
    const deadlineAt = Date.now() + (callOptions.deadlineMs ?? defaultDeadlineMs);
    const left = (): number => Math.max(1, deadlineAt - Date.now());
    const payload = rpc.requestSerialize(request);
    const start = () => streams.call(name, payload, { ...callOptions, timeoutMs: left() });
    for (let answer = start(); answer; answer = start()) {
      options.metrics.roundTrip('grpc');
      try {
        return rpc.responseDeserialize(await answer);
      } catch (error) {
        if (error instanceof StreamBroken) break;
        if (!isStrayCall(error)) throw error;
      }
    }
    return unary(request, { ...callOptions, deadlineMs: left() });
  };
}

function callMetadata({ environment, requestId, trace }: CallOptions): Metadata {
  // Waits for a replica that is restarting, within the deadline.
  const metadata = new Metadata({ waitForReady: true });
  metadata.set(metadataKeys.environment, environment);
  metadata.set(metadataKeys.requestId, requestId);
  if (trace) for (const [key, value] of Object.entries(trace.carrier)) metadata.set(key, value);
  return metadata;
}
