/** Errors of calls in which an attempt before the last one may have taken effect. */
import { type Test, test } from 'tap';
import { AuthenticationError, DeadlineError, RateLimitError } from './index.js';
import { approved, type Given, inTurn, payment, refused, serve, thrown } from './test/service.js';

const lost = { hangUp: true };
const oauth = { clientId: 'svcoc_test_1', clientSecret: 'svcos_secret' };
const tokenPath = '/api/v1/oauth/token';
const token = { body: { access_token: 'token', expires_in: 0 } };

/** A service whose tokens are valid for one request. */
function withTokens(t: Test, { tokens, answer }: { tokens: () => Given; answer: () => Given }) {
  return serve(t, ({ path }) => (path === tokenPath ? tokens() : answer()));
}

test('a payment that was lost is not called undone because a later try was not sent', async (t) => {
  const service = await serve(t, () => lost);
  const gone = Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } });
  let tries = 0;
  const restarting: typeof fetch = (...request) => {
    tries += 1;
    return tries === 1 ? fetch(...request) : Promise.reject(gone);
  };
  const client = service.client({ fetch: restarting, maxRetries: 2 });
  const error = await thrown(client.authorize(payment));
  t.match(error, { code: 'NO_ANSWER', attempts: 3, outcomeUnknown: true });
});

test('nor because a later try was refused', async (t) => {
  for (const refusal of [refused(429, 'RATE_LIMITED'), { status: 408 }]) {
    const service = await serve(t, inTurn(lost, refusal));
    const error = await thrown(service.client({ maxRetries: 1 }).authorize(payment));
    t.match(error, { attempts: 2, outcomeUnknown: true });
    t.match(JSON.parse(JSON.stringify(error)), { outcomeUnknown: true });
  }
  const busy = await serve(t, () => refused(429, 'RATE_LIMITED'));
  const error = await thrown(busy.client({ maxRetries: 1 }).authorize(payment));
  t.type(error, RateLimitError);
  t.equal(error.outcomeUnknown, false, 'where every try was refused');
});

test('a payment keeps its key where no token comes for its second try', async (t) => {
  const tokens = inTurn(token, refused(401, 'INVALID_CLIENT'));
  const service = await withTokens(t, { tokens, answer: () => lost });
  const error = await thrown(service.client({ apiKey: undefined, oauth }).authorize(payment));
  const [sent] = service.received.filter(({ path }) => path !== tokenPath);
  t.type(error, AuthenticationError);
  t.match(error, { code: 'INVALID_CLIENT', attempts: 2, outcomeUnknown: true });
  t.equal(error.idempotencyKey, sent?.body.idempotency_key);
});

test('an address that only a proxy does not know is not called absent', async (t) => {
  const page = { status: 404, body: '<html>default backend</html>' };
  const service = await serve(t, inTurn(page, { body: { id: 'auth_1' } }));
  t.match(await service.client().log.get('auth_1'), { id: 'auth_1' }, 'it comes back');
  const away = await serve(t, () => page);
  const error = await thrown(away.client({ maxRetries: 0 }).authorize(payment));
  t.match(error, { name: 'UnavailableError', code: 'UNEXPECTED_ANSWER', outcomeUnknown: true });
  const empty = await serve(t, () => ({ body: '' }));
  const none = await thrown(empty.client({ maxRetries: 0 }).log.get('auth_1'));
  t.match(none, { name: 'UnavailableError', code: 'UNEXPECTED_ANSWER' });
});

test('the time that a token took is time of the call', async (t) => {
  const service = await withTokens(t, { tokens: () => token, answer: () => approved });
  const slow: typeof fetch = (...request) => {
    if (!String(request[0]).endsWith(tokenPath)) return fetch(...request);
    // Blocks the thread, so that nothing else runs meanwhile, no timer either.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60);
    return Promise.resolve(Response.json(token.body));
  };
  const client = service.client({ apiKey: undefined, oauth, fetch: slow, timeoutMs: 50 });
  const error = await thrown(client.authorize({ ...payment, idempotency_key: 'order-1001' }));
  t.type(error, DeadlineError);
  t.match(error, { outcomeUnknown: false, idempotencyKey: 'order-1001' });
  t.same(service.received, []);
});

test('for a call that was given up before it began, no token is fetched', async (t) => {
  const reason = new Error('the user went away');
  let asked = 0;
  const unreachable: typeof fetch = () => {
    asked += 1;
    return Promise.reject(new Error('a failure that nobody waits for would end the process'));
  };
  const service = await serve(t, () => approved);
  const client = service.client({ apiKey: undefined, oauth, fetch: unreachable });
  const call = client.agents.get('agt_1', { signal: AbortSignal.abort(reason) });
  t.equal(await call.catch((error: unknown) => error), reason);
  t.equal(asked, 0);
});
