import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { until } from '@countersign/runtime/testing';
import { listening } from '@countersign/runtime/testing/listening';

interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  raw: Buffer;
  body: { id: string; event: string; timestamp: string; data: Record<string, unknown> };
  /** HMAC over the raw bytes, for comparison with the signature header. */
  signatureUnder(secret: string): string;
}

/**
 * A status, a function that responds itself, or `hang`: the connection stays open without a
 * response.
 */
type Behaviour = number | 'hang' | ((response: ServerResponse, nth: number) => void);

export interface Receiver {
  url: string;
  port: number;
  received: Received[];
  /** How further requests are answered. */
  behave(behaviour: Behaviour): void;
  /** Resolves once this many requests have arrived in total. */
  count(count: number, timeoutMs?: number): Promise<Received[]>;
  close(): Promise<void>;
}

/** A customer's endpoint on loopback: a real HTTP server that stores the raw bytes. */
export async function startReceiver(first: Behaviour = 200): Promise<Receiver> {
  const received: Received[] = [];
  let behaviour = first;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const raw = Buffer.concat(chunks);
      received.push({
        path: request.url ?? '',
        headers: request.headers,
        raw,
        body: JSON.parse(raw.toString()),
        signatureUnder: (secret) =>
          `sha256=${createHmac('sha256', secret).update(raw).digest('hex')}`,
      });
      if (behaviour === 'hang') return;
      if (typeof behaviour === 'function') return behaviour(response, received.length);
      response.statusCode = behaviour;
      response.end('ok');
    });
  });
  const { port, close } = await listening(server);
  return {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    received,
    behave: (next) => {
      behaviour = next;
    },
    async count(count, timeoutMs = 10_000) {
      await until(() => received.length >= count, { timeoutMs, what: `${count} deliveries` });
      return received;
    },
    close,
  };
}
