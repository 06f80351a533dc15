import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Test, test } from 'tap';
import { ask } from './ask.js';
import { createContext } from './context.js';
import { books } from './test/books.js';

const unknown = { error: { code: 'NOT_FOUND', message: 'No such authorization.' } };

interface Service {
  decision: string;
  replayed: boolean;
  /** The record of the decision; none if absent. */
  entry?: object;
}

/** Requests this payment from a service that decides as given. */
async function askOf(t: Test, { decision, replayed, entry }: Service, wanted = books) {
  const paths: string[] = [];
  const decided = { authorization_id: 'auth_2', decision, reason_codes: [] };
  const server = createServer((request, response) => {
    paths.push(request.url ?? '');
    const isAsked = request.url === '/api/v1/authorize';
    const headers = {
      'content-type': 'application/json',
      ...(replayed && { 'idempotent-replayed': 'true' }),
    };
    response.writeHead(isAsked || entry ? 200 : 404, headers);
    response.end(JSON.stringify(isAsked ? decided : (entry ?? unknown)));
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
  const standing = await ask(context, wanted, AbortSignal.timeout(30_000));
  t.same(paths, ['/api/v1/authorize', '/api/v1/authorize/log/auth_2']);
  return standing;
}

const askWithoutRecord = (t: Test, decision: string) => askOf(t, { decision, replayed: true });

test('nothing is asked anew because of a refusal that is not on record', async (t) => {
  const standing = await askWithoutRecord(t, 'DECLINE');
  t.match(standing, { decision: 'DECLINE', isRepeated: false });
});

test('an approval that is given again is not told as a new one', async (t) => {
  const standing = await askWithoutRecord(t, 'APPROVE');
  t.match(standing, { decision: 'APPROVE', isRepeated: true });
});

test('the first answer tells a payment as every later one does', async (t) => {
  const step_up = { status: 'PENDING', expires_at: '2026-11-23T12:00:00.000Z' };
  const recorded = {
    id: 'auth_2',
    decision: 'STEP_UP',
    amount: '19.90',
    currency: 'USD',
    merchant_name: 'Example Books',
    reason_codes: ['AMOUNT_STEP_UP'],
    step_up,
    reversed_amount: '0.00',
  };
  const service = { decision: 'STEP_UP', replayed: false, entry: recorded };
  const standing = await askOf(t, service, { ...books, amount: '19.9' });
  t.match(standing, { amount: '19.90', givenBack: '0.00', isRepeated: false, stepUp: step_up });
});

test('what was just decided holds where its record does not come', async (t) => {
  const standing = await askOf(t, { decision: 'APPROVE', replayed: false });
  t.match(standing, { decision: 'APPROVE', amount: '19.90', isRepeated: false });
});
