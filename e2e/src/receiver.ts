import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { listening } from '@countersign/runtime/testing/listening';

export const hangUp = 0;

export interface Delivered {
  headers: IncomingHttpHeaders;
  raw: string;
  envelope: { id: string; event: string; timestamp: string; data: Record<string, unknown> };
}

export interface Receiver {
  url: string;
  /** `host:port`, for the list of hosts that are allowed in development. */
  host: string;
  deliveries: Delivered[];
  /** The status of further responses; `hangUp` closes the connection without one. */
  answerWith(status: number): void;
  close(): Promise<void>;
}

/** A customer's endpoint on loopback: stores requests byte for byte. */
export async function startReceiver(): Promise<Receiver> {
  const deliveries: Delivered[] = [];
  let status = 200;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const raw = Buffer.concat(chunks).toString();
      deliveries.push({ headers: request.headers, raw, envelope: JSON.parse(raw) });
      if (status === hangUp) return request.socket.destroy();
      response.statusCode = status;
      response.end();
    });
  });
  const { port, close } = await listening(server);
  const host = `127.0.0.1:${port}`;
  return {
    url: `http://${host}/hook`,
    host,
    deliveries,
    answerWith: (next) => {
      status = next;
    },
    close,
  };
}

/** The checks of a receiver: signature over the raw bytes, and a recent timestamp. */
export function isAuthentic({ headers, raw, envelope }: Delivered, secret: string): boolean {
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(raw).digest('hex')}`);
  const given = Buffer.from(String(headers['x-service-signature']));
  const fresh = Math.abs(Date.now() - Date.parse(envelope.timestamp)) < 5 * 60_000;
  return fresh && given.length === expected.length && timingSafeEqual(given, expected);
}
