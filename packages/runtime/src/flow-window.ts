import type { Http2Server, ServerHttp2Session, ServerOptions } from 'node:http2';
import type { Server } from '@grpc/grpc-js';

/**
 * What may be under way on a connection before its receiver says that it has read some: the records
 * of a whole batch. HTTP/2 alone gives 64 KB; then a batch waits for several answers of that kind,
 * each of which costs both sides a turn of their loops.
 */
export const flowWindowBytes = 1_048_576;

/** Where the library keeps what it makes HTTP/2 servers with, and those that it made. */
interface Inner {
  commonServerOptions?: ServerOptions;
  http2Servers?: Map<Http2Server, unknown>;
}

/** Before `bindAsync`: the library itself has the option for clients alone (grpc-node 3058). */
export function widenStreams(server: Server): void {
  const { commonServerOptions } = server as unknown as Inner;
  if (!commonServerOptions) return;
  const { settings } = commonServerOptions;
  commonServerOptions.settings = { ...settings, initialWindowSize: flowWindowBytes };
}

/** To be called once it is bound: streams share the window of their connection. */
export function widenConnections(server: Server): void {
  const { http2Servers } = server as unknown as Inner;
  for (const http2 of http2Servers?.keys() ?? []) {
    http2.on('session', (session: ServerHttp2Session) => {
      session.setLocalWindowSize(flowWindowBytes);
    });
  }
}
