import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Test, test } from 'tap';
import { ask } from './ask.js';
import { createContext } from './context.js';
import { books } from './test/books.js';

/** Asks a service that gives this decision again, and has no record of it. */
async function askWithoutRecord(t: Test, decision: string) {
  const paths: string[] = [];
  const repeated = { authorization_id: 'auth_2', decision, reason_codes: [] };
  const unknown = { error: { code: 'NOT_FOUND', message: 'No such authorization.' } };
  const server = createServer((request, response) => {
    paths.push(request.url ?? '');
    const isAsked = request.url === '/api/v1/authorize';
    const headers = { 'content-type': 'application/json', 'idempotent-replayed': 'true' };
    response.writeHead(isAsked ? 200 : 404, headers);
    response.end(JSON.stringify(isAsked ? repeated : unknown));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const context = createContext({
    client: {
      baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      apiKey: 'svc_test_1',
    },
    agentId: 'agt_1',
    reversals: true,
  });
  const standing = await ask(context, books, AbortSignal.timeout(30_000));
  t.same(paths, ['/api/v1/authorize', '/api/v1/authorize/log/auth_2']);
  return standing;
}

test('nothing is asked anew because of a refusal that is not on record', async (t) => {
  const standing = await askWithoutRecord(t, 'DECLINE');
  t.match(standing, { decision: 'DECLINE', isRepeated: false });
});

test('an approval that is given again is not told as a new one', async (t) => {
  const standing = await askWithoutRecord(t, 'APPROVE');
  t.match(standing, { decision: 'APPROVE', isRepeated: true });
});
