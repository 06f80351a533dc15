import { createServer, type RequestListener, type Server, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Lifecycle } from '@countersign/runtime/lifecycle';
import { platformEnvelope } from './errors/platform-envelope.js';
import { requestIdOf } from './middleware/request-start.js';

export interface ListenOptions {
  name: string;
  host: string;
  port: number;
  maxConnections: number;
  baseUrl: string;
  lifecycle: Lifecycle;
}

/** How often Node checks its own timeouts; its default is half a minute. */
const connectionsCheckingIntervalMs = 500;
const headersTimeoutMs = 5_000;
const requestTimeoutMs = 10_000;
/** Longer than usual load balancers keep an idle connection, so that they close it first. */
const keepAliveTimeoutMs = 65_000;
const maxHeaderBytes = 16 * 1024;
const maxRequestsPerSocket = 10_000;
/** Time for a sender to read the answer, before what it still sends causes a reset. */
const lingerMs = 1_000;
const finishCapMs = 8_000;
const idleSweepMs = 50;

/** Listens until the lifecycle ends, then finishes the requests it has taken. Returns the port. */
export async function listen(handle: RequestListener, options: ListenOptions): Promise<number> {
  const server = createServer(
    {
      connectionsCheckingInterval: connectionsCheckingIntervalMs,
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      keepAliveTimeout: keepAliveTimeoutMs,
      maxHeaderSize: maxHeaderBytes,
      keepAlive: true,
      noDelay: true,
    },
    (request, response) => {
      // The caller then opens its next connection, which reaches another replica.
      if (!options.lifecycle.accepting) response.setHeader('Connection', 'close');
      handle(request, response);
    },
  );
  server.maxConnections = options.maxConnections;
  server.maxRequestsPerSocket = maxRequestsPerSocket;
  server.on('clientError', (error, socket) => answerUnreadable(error, socket as Socket, options));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  options.lifecycle.onShutdown(options.name, () => finish(server));
  return (server.address() as AddressInfo).port;
}

const failures: Record<string, readonly [status: number, message: string]> = {
  HPE_HEADER_OVERFLOW: [431, 'The headers are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not arrive in time.'],
};

/** Answers what could not be parsed as HTTP in the usual envelope; there is no request object. */
function answerUnreadable(
  error: NodeJS.ErrnoException,
  socket: Socket,
  { baseUrl }: ListenOptions,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, message] = failures[error.code ?? ''] ?? [
    400,
    'This is not a valid HTTP request.',
  ];
  const requestId = requestIdOf(undefined);
  const failure = { status, code: status === 400 ? 'BAD_REQUEST' : 'ERROR', message };
  const body = JSON.stringify(
    platformEnvelope(
      { ...failure, errors: [], headers: {} },
      { requestId, baseUrl, route: undefined },
    ),
  );
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-ID: ${requestId}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  // Otherwise a sender that keeps its side open would keep the connection for ever.
  const cut = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(cut));
}

/** Takes no more connections, closes the idle ones, and cuts those that hang past the cap. */
function finish(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), finishCapMs);
    // Node keeps a connection alive after its request; these are closed as they become idle.
    const sweep = setInterval(() => server.closeIdleConnections(), idleSweepMs);
    server.close(() => {
      clearTimeout(cut);
      clearInterval(sweep);
      resolve();
    });
    server.closeIdleConnections();
  });
}
