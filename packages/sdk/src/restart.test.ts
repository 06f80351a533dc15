/**
 * A gateway that restarts: its port refuses connections for a while, or answers that it is not
 * ready.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Test, test } from 'tap';
import { backoffMs } from './http/retry.js';
import { Countersign } from './index.js';
import { apiKey, approved, payment, refused, serve, thrown } from './test/service.js';

/** A port that refuses connections until the service is started on it. */
async function stopped(t: Test): Promise<{ port: number; start: () => Promise<void> }> {
  const listening = (server: Server, port: number) =>
    new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const before = createServer();
  await listening(before, 0);
  const { port } = before.address() as AddressInfo;
  await new Promise((resolve) => before.close(resolve));
  const after = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(approved.body));
  });
  t.teardown(() => {
    after.close();
    after.closeAllConnections();
  });
  return { port, start: () => listening(after, port) };
}

test('a payment outlives a restart of several seconds, with one key', async (t) => {
  const { port, start } = await stopped(t);
  const keys = new Set<string>();
  let refusals = 0;
  const counting: typeof fetch = async (input, init) => {
    keys.add(JSON.parse(String(init?.body)).idempotency_key);
    try {
      return await fetch(input, init);
    } catch (error) {
      refusals += 1;
      // Two retries would be exhausted by then.
      if (refusals === 4) await start();
      throw error;
    }
  };
  const baseUrl = `http://127.0.0.1:${port}`;
  const client = new Countersign({ baseUrl, apiKey, fetch: counting });
  const decision = await client.authorize(payment);
  t.match(decision, { decision: 'APPROVE' });
  t.equal(refusals, 4);
  t.same(keys, new Set([decision.idempotency_key]));
});

test('the time that the caller sets ends it, whatever is left of the retries', async (t) => {
  const { port } = await stopped(t);
  const client = new Countersign({ baseUrl: `http://127.0.0.1:${port}`, apiKey, maxRetries: 10 });
  const error = await thrown(client.authorize(payment, { timeoutMs: 3_000 }));
  t.match(error, { code: 'NO_ANSWER', outcomeUnknown: false });
  t.ok(error.attempts > 1, `${error.attempts} tries`);
  const waits = Array.from({ length: error.attempts - 1 }, (_, i) => backoffMs(i + 1, () => 0));
  t.ok(waits.reduce((sum, ms) => sum + ms, 0) < 3_000, 'each after its wait');
  const away = await serve(t, () => refused(503, 'SERVICE_UNAVAILABLE'));
  const unready = await thrown(away.client().authorize(payment, { timeoutMs: 3_000 }));
  t.match(unready, { status: 503, outcomeUnknown: true });
  t.match(unready.idempotencyKey, away.received[0]?.body.idempotency_key);
});

const oauth = { clientId: 'svcoc_test_1', clientSecret: 'svcos_secret' };
const gone = Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } });

/** A client without retries of its own, whose requests for a token fail at first. */
async function withoutToken(t: Test, failures: Array<Error | Response>) {
  const token = { access_token: 'token', expires_in: 900 };
  const service = await serve(t, ({ path }) =>
    path === '/api/v1/oauth/token' ? { body: token } : approved,
  );
  let requests = 0;
  const failing: typeof fetch = async (...request) => {
    requests += 1;
    const failure = failures.shift();
    if (failure instanceof Error) throw failure;
    return failure ?? fetch(...request);
  };
  const client = service.client({ apiKey: undefined, oauth, fetch: failing, maxRetries: 0 });
  return { client, requests: () => requests };
}

test('a call that has no token yet outlives it, too, repeatable or not', async (t) => {
  const paying = await withoutToken(t, [gone, gone]);
  t.match(await paying.client.authorize(payment, { maxRetries: 2 }), { decision: 'APPROVE' });
  t.equal(paying.requests(), 4);
  const confirming = await withoutToken(t, [gone, gone]);
  await confirming.client.stepUps.confirm('auth_1', { maxRetries: 2 });
  t.equal(confirming.requests(), 4);
});

test('a client that is refused a token is not asked for it again', async (t) => {
  const refusal = Response.json({ error: 'invalid_client' }, { status: 401 });
  const { client, requests } = await withoutToken(t, [refusal]);
  const error = await thrown(client.authorize(payment, { maxRetries: 2 }));
  t.match(error, { name: 'AuthenticationError', code: 'invalid_client', attempts: 1 });
  t.equal(requests(), 1);
});
