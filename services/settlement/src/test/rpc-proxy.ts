import { createServer } from 'node:http';
import { listening } from '@countersign/runtime/testing/listening';

/** Forwards requests, forwards them but keeps reporting an old head, or fails. */
type ProxyMode = 'forwarding' | 'lagging' | 'failing';

interface RpcProxy {
  url: string;
  mode: ProxyMode;
  stop(): Promise<void>;
}

/** A JSON-RPC proxy that can simulate a node that lags behind or fails. */
export async function startRpcProxy(target: string): Promise<RpcProxy> {
  let lastHead = '0x0';
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const { method } = JSON.parse(body);
    if (proxy.mode === 'failing') return void response.writeHead(503).end();
    const headers = { 'content-type': 'application/json' };
    const forwarded = await fetch(target, { method: 'POST', headers, body });
    const reply = (await forwarded.json()) as { result?: string };
    if (method === 'eth_blockNumber') {
      if (proxy.mode === 'lagging') reply.result = lastHead;
      else lastHead = reply.result ?? lastHead;
    }
    response.writeHead(200, headers).end(JSON.stringify(reply));
  });
  const { port, close } = await listening(server);
  const proxy: RpcProxy = {
    url: `http://127.0.0.1:${port}`,
    mode: 'forwarding',
    stop: close,
  };
  return proxy;
}
