import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';
import { type Context, createContext } from '../context.js';

export interface Given {
  status?: number;
  headers?: Record<string, string>;
  body: object;
}

/** A service that answers requests of these paths as given, until the test ends. */
export async function serve(t: Test, answer: (path: string) => Given) {
  const paths: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    paths.push(path);
    const { status = 200, headers, body } = answer(path);
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  const context: Context = createContext({
    client: { baseUrl: `http://127.0.0.1:${port}`, apiKey: 'svc_test_1' },
    agentId: 'agt_1',
    reversals: true,
  });
  return { context, paths };
}
