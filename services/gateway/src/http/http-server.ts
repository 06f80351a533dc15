import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Lifecycle } from '@countersign/runtime/lifecycle';
import { headMs, requestMs } from './arrival.js';
import { finish } from './last-call.js';
import { Turns } from './turns.js';
import { UnreadableRequests } from './unreadable.js';

interface ListenOptions {
  name: string;
  host: string;
  port: number;
  maxConnections: number;
  baseUrl: string;
  lifecycle: Lifecycle;
  /** Called before it listens. */
  watch?: (server: Server) => void;
}

/** How often Node checks its own timeouts; its default is half a minute. */
const connectionsCheckingIntervalMs = 500;
/** Longer than usual load balancers keep an idle connection, so that they close it first. */
const keepAliveTimeoutMs = 65_000;
/** For a caller that takes nothing of its answer; Node counts what it takes as activity. */
const inactivityMs = 30_000;
const maxHeaderBytes = 16 * 1024;
const maxRequestsPerSocket = 10_000;

/** Listens until the lifecycle ends, then finishes the requests it has taken. Returns the port. */
export async function listen(handle: RequestListener, options: ListenOptions): Promise<number> {
  const turns = new Turns();
  const unreadable = new UnreadableRequests(options.baseUrl, turns);
  const take: RequestListener = (request, response) => {
    turns.take(response, () => handle(request, response));
  };
  const server = limitedServer(options.maxConnections);
  server.on('request', take);
  // `checkHead` refuses what Node does not know; Node would do so without an envelope.
  server.on('checkExpectation', take);
  server.on('connect', (_request, socket) => unreadable.refuseConnect(socket as Socket));
  server.on('clientError', (error, socket) => unreadable.answer(error, socket as Socket));
  options.watch?.(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  options.lifecycle.onShutdown(options.name, () => finish(server));
  return (server.address() as AddressInfo).port;
}

/** A server that refuses nothing by itself which we can refuse with an envelope. */
function limitedServer(maxConnections: number): Server {
  const server = createServer({
    connectionsCheckingInterval: connectionsCheckingIntervalMs,
    headersTimeout: headMs,
    requestTimeout: requestMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    maxHeaderSize: maxHeaderBytes,
    keepAlive: true,
    noDelay: true,
    // Ours has an envelope; see `checkHead`.
    requireHostHeader: false,
  });
  server.maxConnections = maxConnections;
  server.maxRequestsPerSocket = maxRequestsPerSocket;
  server.timeout = inactivityMs;
  // A caller that has closed its side waits for its answers. Node has no documentation of this.
  Object.assign(server, { httpAllowHalfOpen: true });
  // Their size is limited; by number, Node would drop some without a word.
  server.maxHeadersCount = 0;
  return server;
}
