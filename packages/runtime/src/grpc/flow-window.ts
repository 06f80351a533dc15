import type { Http2Server, ServerHttp2Session, ServerOptions } from 'node:http2';
import type { Server } from '@grpc/grpc-js';

/**
 * Bytes in flight on a connection before the receiver has to acknowledge: enough for the records of
 * a whole batch. With the 64 KB default of HTTP/2, a batch would wait for several window updates,
 * each of which costs both sides a turn of their event loops.
 */
export const flowWindowBytes = 1_048_576;

/**
 * Private members of the library's server: the options for its HTTP/2 servers, and these servers.
 */
interface Inner {
  commonServerOptions?: ServerOptions;
  http2Servers?: Map<Http2Server, unknown>;
}

/** Call before `bindAsync`: the library offers this option only for clients (grpc-node 3058). */
export function widenStreams(server: Server): void {
  const { commonServerOptions } = server as unknown as Inner;
  if (!commonServerOptions) return;
  const { settings } = commonServerOptions;
  commonServerOptions.settings = { ...settings, initialWindowSize: flowWindowBytes };
}

/** Call after `bindAsync`: all streams share the window of their connection. */
export function widenConnections(server: Server): void {
  const { http2Servers } = server as unknown as Inner;
  for (const http2 of http2Servers?.keys() ?? []) {
    http2.on('session', (session: ServerHttp2Session) => {
      session.setLocalWindowSize(flowWindowBytes);
    });
  }
}
