import { mock } from 'node:test';
import { inspect } from 'node:util';
import { type Test, test } from 'tap';
import {
  AuthenticationError,
  ConflictError,
  DeadlineError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  RequestError,
  UnavailableError,
  ValidationError,
} from './index.js';
import { apiKey, approved, inTurn, payment, refused, serve, thrown } from './test/service.js';

const hangUp = { hangUp: true };

test('every fault of the platform envelope is an error of its kind', async (t) => {
  const faults = [
    [400, 'STEP_UP_REQUIRED', RequestError],
    [401, 'INVALID_API_KEY', AuthenticationError],
    [403, 'TENANT_MISMATCH', PermissionError],
    [404, 'AGENT_NOT_FOUND', NotFoundError],
    [409, 'CONFLICT', ConflictError],
    [422, 'VALIDATION_ERROR', ValidationError],
    [429, 'RATE_LIMITED', RateLimitError],
    [500, 'INTERNAL_ERROR', UnavailableError],
    [503, 'SERVICE_UNAVAILABLE', UnavailableError],
  ] as const;
  for (const [status, code, kind] of faults) {
    const service = await serve(t, () => refused(status, code));
    const error = await thrown(service.client({ maxRetries: 0 }).agents.get('agt_1'));
    t.type(error, kind, code);
    t.match(error, { code, status, requestId: 'req_of_the_service', attempts: 1 });
    t.equal(service.received.length, 1, 'a key is not shown again where it was refused');
    t.equal(error.docsUrl, `https://docs.example/${code}`);
    t.match(JSON.parse(JSON.stringify(error)), { name: kind.name, message: `It is ${code}.` });
  }
});

test('a validation error names the fields', async (t) => {
  const errors = [{ field: 'amount', message: 'is required', type: 'required' }];
  const service = await serve(t, () => refused(422, 'VALIDATION_ERROR', { errors }));
  const error = await thrown(service.client().authorize(payment));
  t.same(error.fields, errors);
  t.equal(service.received.length, 1, 'and is not tried again');
});

test('every other error says by a type what its code leaves open', async (t) => {
  const errors = [{ field: '', message: 'needs the scope agents', type: 'scope_missing' }];
  for (const status of [400, 401, 403, 404, 409, 429, 503]) {
    const service = await serve(t, () => refused(status, 'ERROR', { errors }));
    const error = await thrown(service.client({ maxRetries: 0 }).agents.get('agt_1'));
    t.same(error.fields, errors, String(status));
    t.same(JSON.parse(JSON.stringify(error)).fields, errors, 'in a log too');
  }
  const plain = await serve(t, () => refused(403, 'TENANT_MISMATCH'));
  t.same((await thrown(plain.client().agents.get('agt_1'))).fields, []);
});

test('the envelopes of onboarding and of OAuth are understood', async (t) => {
  const flat = { error: 'program_not_owned', message: 'No.', status: 422, request_id: 'req_1' };
  const onboarding = await serve(t, () => ({ status: 422, body: flat }));
  const refusedBody = await thrown(onboarding.client().onboarding.enroll('prn_1', 'prg_1'));
  t.type(refusedBody, ValidationError);
  t.match(refusedBody, { code: 'program_not_owned', message: 'No.', requestId: 'req_1' });

  const told = { error: 'invalid_client', error_description: 'The client is not known.' };
  const token = await serve(t, () => ({ status: 401, body: told }));
  const oauth = { clientId: 'svcoc_test_1', clientSecret: 'svcos_secret' };
  const error = await thrown(token.client({ apiKey: undefined, oauth }).agents.get('agt_1'));
  t.type(error, AuthenticationError);
  t.match(error, { code: 'invalid_client', message: 'The client is not known.' });
  t.notMatch(inspect(error), /svcos_/);
});

test("what is none of the service's answers is no decision and no success", async (t) => {
  const page = '<html>Welcome to the hotel</html>';
  const halves = ['{"decision":"MAYBE","authorization_id":"a"}', '{"decision":"APPROVE"}'];
  for (const body of [page, ...halves, '{}', '"APPROVE"', '']) {
    const service = await serve(t, () => ({ body }));
    const error = await thrown(service.client({ maxRetries: 0 }).authorize(payment));
    t.match(error, { name: 'UnavailableError', code: 'UNEXPECTED_ANSWER', outcomeUnknown: true });
    const simulated = await thrown(service.client({ maxRetries: 0 }).simulate(payment));
    t.match(simulated, { name: 'UnavailableError', code: 'UNEXPECTED_ANSWER' });
  }
  const moved = await serve(t, () => ({
    status: 302,
    headers: { location: 'http://127.0.0.1:9' },
  }));
  t.match(await thrown(moved.client().authorize(payment)), { name: 'RequestError', status: 302 });
  t.equal(moved.received.length, 1, 'a key is sent nowhere else');
});

test('a payment has one key at every try, and is one payment', async (t) => {
  const service = await serve(t, inTurn(hangUp, refused(429, 'RATE_LIMITED'), approved));
  const decision = await service.client().authorize(payment);
  const keys = service.received.map(({ body }) => body.idempotency_key);
  t.equal(keys.length, 3);
  t.match(keys[0], /^[\w-]{36}$/);
  t.same(new Set(keys), new Set([decision.idempotency_key]));
  const ids = service.received.map(({ headers }) => headers['x-request-id']);
  t.same(new Set(ids), new Set([decision.request_id]), 'and one name in the logs');
  const given = await service.client().authorize({ ...payment, idempotency_key: 'order-1001' });
  t.equal(given.idempotency_key, 'order-1001');
});

test('a payment whose answer is lost leaves its key to ask again with', async (t) => {
  const service = await serve(t, () => hangUp);
  const error = await thrown(service.client({ maxRetries: 1 }).authorize(payment));
  t.match(error, {
    name: 'UnavailableError',
    code: 'NO_ANSWER',
    outcomeUnknown: true,
    attempts: 2,
  });
  t.equal(error.idempotencyKey, service.received[0]?.body.idempotency_key);
});

async function triesOf(t: Test, work: (client: ReturnType<Service['client']>) => Promise<unknown>) {
  const lost = await serve(t, () => hangUp);
  await thrown(work(lost.client({ maxRetries: 1 })));
  const busy = await serve(t, () => refused(429, 'RATE_LIMITED'));
  await thrown(work(busy.client({ maxRetries: 1 })));
  return { lost: lost.received.length, busy: busy.received.length, received: lost.received };
}
type Service = Awaited<ReturnType<typeof serve>>;

test('only what cannot happen twice is sent again after an answer was lost', async (t) => {
  const again = { lost: 2, busy: 2 };
  const once = { lost: 1, busy: 2 };
  const id = { authorization_id: 'auth_1' };
  t.match(await triesOf(t, (client) => client.agents.get('agt_1')), again);
  t.match(await triesOf(t, (client) => client.reverse(id)), again);
  t.match(await triesOf(t, (client) => client.reverse({ ...id, amount: '1.00' })), once);
  t.match(await triesOf(t, (client) => client.stepUps.verifyCode('auth_1', '000000')), once);
  t.match(await triesOf(t, (client) => client.stepUps.confirm('auth_1')), once);
  const agent = { display_name: 'Shopper', capabilities: ['PURCHASE' as const] };
  t.match(await triesOf(t, (client) => client.agents.create(agent)), once);
  const change = (status: 'ACTIVE' | 'SUSPENDED') =>
    triesOf(t, (client) => client.agents.setStatus('agt_1', { status, reason: 'a test' }));
  t.match(await change('SUSPENDED'), again);
  t.match(await change('ACTIVE'), once, 'somebody may have suspended it meanwhile');
  t.match(await triesOf(t, (client) => client.mandates.revoke('mnd_1')), again);
  t.match(await triesOf(t, (client) => client.thresholds.update({})), once);
  t.match(await triesOf(t, (client) => client.thresholds.reset()), once);
  t.match(await triesOf(t, (client) => client.webhooks.update('wh_1', {})), once);
  t.match(await triesOf(t, (client) => client.webhooks.delete('wh_1')), again);
  const added = await triesOf(t, (client) => client.onboarding.addAgent('prn_1', { name: 'A' }));
  t.match(added, again);
  const keys = added.received.map(({ headers }) => headers['idempotency-key']);
  t.equal(new Set(keys).size, 1);
  t.match(keys[0], /^[\w-]{36}$/);
});

test('what never left is sent again, whatever it is', async (t) => {
  const service = await serve(t, () => approved);
  let calls = 0;
  const unreachable = Object.assign(new TypeError('fetch failed'), {
    cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }),
  });
  const first: typeof fetch = (...request) => {
    calls += 1;
    return calls === 1 ? Promise.reject(unreachable) : fetch(...request);
  };
  await service.client({ fetch: first }).stepUps.confirm('auth_1');
  t.equal(calls, 2);
  const slow = await serve(t, inTurn({ status: 408, body: '' }, approved));
  await slow.client().stepUps.confirm('auth_1');
  t.equal(slow.received.length, 2, 'nor did what did not arrive whole');
});

test('a creation that is still being carried out is waited for', async (t) => {
  const under = { error: 'idempotency_key_in_progress', message: 'Wait.', status: 409 };
  const created = { status: 201, body: { id: 'agt_1' } };
  const service = await serve(t, inTurn({ status: 409, body: under }, created));
  const agent = await service.client().onboarding.addAgent('prn_1', { name: 'Shopper' });
  t.match(agent, { id: 'agt_1' });
});

test('a wait that is longer than the deadline is not begun', async (t) => {
  const headers = { 'retry-after': '30' };
  const service = await serve(t, () => ({ ...refused(429, 'RATE_LIMITED'), headers }));
  const error = await thrown(service.client().authorize(payment));
  t.match(error, { name: 'RateLimitError', retryAfter: 30, attempts: 1 });
  const under = { error: 'idempotency_key_in_progress', message: 'Wait.', status: 409 };
  const busy = await serve(t, () => ({ status: 409, body: under, headers }));
  const agent = { name: 'Shopper' };
  const conflict = await thrown(busy.client().onboarding.addAgent('prn_1', agent));
  t.match(conflict, { code: under.error, retryAfter: 30, attempts: 1 }, 'of a key in progress');
});

test('silence ends with the deadline, and an abort at once with its reason', async (t) => {
  const service = await serve(t, () => ({ silent: true }));
  const client = service.client();
  const late = await thrown(client.agents.get('agt_1', { timeoutMs: 50 }));
  t.type(late, DeadlineError);
  t.match(late, { code: 'DEADLINE', outcomeUnknown: true });
  const controller = new AbortController();
  const call = thrown(client.authorize(payment, { signal: controller.signal }));
  const reason = new Error('the user went away');
  controller.abort(reason);
  t.equal(await call, reason);
  t.equal(await thrown(client.agents.get('agt_1', { signal: controller.signal })), reason);
});

/** A fetch that is never answered, and the signals that end its attempts. */
function unanswered() {
  const attempts: AbortSignal[] = [];
  const silent: typeof fetch = (_, init) =>
    new Promise((_resolve, reject) => {
      const { signal } = init ?? {};
      if (!signal) return reject(new Error('nothing would end it'));
      attempts.push(signal);
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  const begun = () => new Promise((resolve) => setImmediate(resolve));
  return { attempts, silent, begun };
}

test('a call that must not be repeated has all of its time for its one attempt', async (t) => {
  const service = await serve(t, () => approved);
  mock.timers.enable({ apis: ['setTimeout'] });
  t.teardown(() => mock.timers.reset());
  const { attempts, silent, begun } = unanswered();
  const client = service.client({ fetch: silent, timeoutMs: 8_000 });
  const once = thrown(client.stepUps.confirm('auth_1'));
  await begun();
  mock.timers.tick(7_000);
  t.equal(attempts[0]?.aborted, false);
  mock.timers.tick(1_000);
  t.match(await once, { name: 'DeadlineError', attempts: 1, outcomeUnknown: true });
  t.equal(attempts.length, 1);

  const again = thrown(client.agents.get('agt_1', { maxRetries: 0 }));
  await begun();
  mock.timers.tick(7_000);
  t.equal(attempts[1]?.aborted, true, 'any other leaves time for another attempt');
  mock.timers.tick(1_000);
  await again;
});

test('a key is in no error, no inspection and no JSON', async (t) => {
  const leaky: typeof fetch = (_, init) =>
    Promise.reject(Object.assign(new Error(JSON.stringify(init)), { request: init }));
  const client = (await serve(t, () => approved)).client({ fetch: leaky, maxRetries: 0 });
  const error = await thrown(client.authorize(payment));
  const said = [client, client.actingFor('prn_1'), client.log, error].flatMap((each) => [
    inspect(each, { depth: 20, showHidden: true }),
    String(JSON.stringify(each)),
  ]);
  for (const text of said) t.notMatch(text, apiKey);
  t.match(inspect(client.actingFor('prn_1')), /prn_1/);
});

test('a call names its Principal, and one of onboarding or the catalog none', async (t) => {
  const service = await serve(t, () => ({ body: { data: [], reason_codes: [], agents: [] } }));
  const client = service.client({ principalId: 'prn_1' });
  await client.agents.get('agt_1');
  await client.agents.get('agt_1', { principalId: 'prn_2' });
  await client.actingFor('prn_3').agents.get('agt_1');
  await client.onboarding.addAgent('prn_1', { name: 'Shopper' });
  await client.catalog.reasonCodes();
  const sent = service.received.map(({ headers }) => headers['x-principal-id']);
  t.same(sent, ['prn_1', 'prn_2', 'prn_3', undefined, undefined]);
  t.equal(service.received.at(-1)?.headers['x-api-key'], undefined, 'which is open to all');
});

test('an id leads to no other path', async (t) => {
  const service = await serve(t, () => approved);
  for (const id of ['..', '../../internal', 'a/b', '', 'a?b', '%2e%2e', undefined as never]) {
    const error = await thrown(service.client().agents.get(id));
    t.match(error, { name: 'ValidationError', fields: [{ field: 'agent_id' }] }, String(id));
  }
  t.same(service.received, []);
});

test('what cannot be sent is said, and is not called a failure of the network', async (t) => {
  const service = await serve(t, () => approved);
  const options = [
    { principalId: 'prn_1\r\nx-a: b' },
    { requestId: 'two words' },
    { timeoutMs: Number.POSITIVE_INFINITY },
    { timeoutMs: 0 },
    { maxRetries: 1.5 },
  ];
  for (const given of options) {
    const error = await thrown(service.client().agents.get('agt_1', given));
    t.equal(error.name, 'ConfigurationError', JSON.stringify(given));
  }
  const body = { name: 'Shopper' };
  const added = service.client().onboarding.addAgent('prn_1', body, { idempotencyKey: 'ä' });
  t.equal((await thrown(added)).name, 'ConfigurationError');
  t.same(service.received, []);
});

test('a webhook that is gone after a lost answer was deleted', async (t) => {
  const gone = await serve(t, inTurn(hangUp, refused(404, 'NOT_FOUND')));
  await gone.client().webhooks.delete('wh_1');
  const never = await serve(t, () => refused(404, 'NOT_FOUND'));
  t.type(await thrown(never.client().webhooks.delete('wh_1')), NotFoundError);
  const busy = await serve(t, inTurn(refused(429, 'RATE_LIMITED'), refused(404, 'NOT_FOUND')));
  t.type(await thrown(busy.client().webhooks.delete('wh_1')), NotFoundError, 'nothing was lost');
  const refusedAfter = await serve(t, inTurn(hangUp, refused(403, 'ERROR')));
  t.type(await thrown(refusedAfter.client().webhooks.delete('wh_1')), PermissionError);
});
