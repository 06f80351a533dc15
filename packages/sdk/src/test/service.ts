import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';
import { type ClientOptions, Countersign, type CountersignError } from '../index.js';

export interface Received {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever it sent.
  body: any;
}

export interface Given {
  status?: number;
  body?: unknown;
  headers?: Record<string, string>;
  /** Closes the connection without a response. */
  hangUp?: boolean;
  /** Sends nothing until the client gives up. */
  silent?: boolean;
}

export interface Service {
  baseUrl: string;
  received: Received[];
  client(options?: Partial<ClientOptions>): Countersign;
}

export const apiKey = `svc_test_${'k'.repeat(49)}`;

/** An HTTP server that answers each request with this function and records the requests. */
export async function serve(t: Test, answer: (asked: Received) => Given): Promise<Service> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const { method = '', url = '', headers } = request;
      const asked = { method, path: url, headers, body: text === '' ? null : JSON.parse(text) };
      received.push(asked);
      const given = answer(asked);
      if (given.hangUp) return request.socket.destroy();
      if (given.silent) return;
      response.writeHead(given.status ?? 200, {
        'content-type': 'application/json',
        ...given.headers,
      });
      response.end(typeof given.body === 'string' ? given.body : JSON.stringify(given.body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = (options: Partial<ClientOptions> = {}) =>
    new Countersign({ baseUrl, apiKey, ...options } as ClientOptions);
  return { baseUrl, received, client };
}

/** The error that a call throws. */
export async function thrown(call: Promise<unknown>): Promise<CountersignError> {
  return call.then(
    () => Promise.reject(new Error('it was answered')),
    (error: CountersignError) => error,
  );
}

/** These responses in turn; the last one repeats. */
export function inTurn(...answers: Given[]): () => Given {
  return () => (answers.length > 1 ? answers.shift() : answers[0]) ?? {};
}

/** An error in the platform envelope. */
export function refused(status: number, code: string, details: object = {}): Given {
  const error = { code, message: `It is ${code}.`, request_id: 'req_of_the_service', details };
  return { status, body: { error: { ...error, docs_url: `https://docs.example/${code}` } } };
}

export const payment = {
  agent_id: 'agt_01k5a3v7q8e9f0g1h2j3k4m5n6',
  amount: '19.90',
  currency: 'USD',
  intent_context: { task_reference: 'order-1001' },
};

export const approved: Given = {
  body: { authorization_id: 'auth_1', decision: 'APPROVE', reason_codes: [] },
};
