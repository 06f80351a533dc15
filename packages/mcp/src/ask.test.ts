import { type Test, test } from 'tap';
import { answer, answered } from './answer.js';
import { ask, maxAttempts, type Wanted } from './ask.js';
import { idempotencyKey, paymentIdentity } from './payment-key.js';
import { books } from './test/books.js';
import { type Given, serve } from './test/service.js';

const unknown = { error: { code: 'NOT_FOUND', message: 'No such authorization.' } };

const recorded = {
  id: 'auth_2',
  agent_id: 'agt_1',
  decision: 'STEP_UP',
  amount: '19.90',
  currency: 'USD',
  merchant_name: 'Example Books',
  reason_codes: [],
  step_up: null,
  reversed_amount: '0.00',
};

interface Service {
  decision: string;
  replayed: boolean;
  /** The record of the decision; none if absent. */
  entry?: object;
}

/** Requests this payment from a service that decides as given. */
async function askOf(t: Test, { decision, replayed, entry }: Service, wanted = books) {
  const decided = { authorization_id: 'auth_2', decision, reason_codes: [] };
  const headers: Given['headers'] = replayed ? { 'idempotent-replayed': 'true' } : {};
  const { context, paths } = await serve(t, (path) => {
    if (path === '/api/v1/authorize') return { headers, body: decided };
    return entry ? { body: entry } : { status: 404, body: unknown };
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
  const service = { decision: 'STEP_UP', replayed: false, entry: { ...recorded, step_up } };
  const standing = await askOf(t, service, { ...books, amount: '19.9' });
  t.has(standing, { amount: '19.90', givenBack: '0.00', isRepeated: false, stepUp: step_up });
});

for (const replayed of [false, true]) {
  const what = replayed ? 'an earlier decline' : 'a decline';
  test(`${what} stays one, whatever its record says until it is voided`, async (t) => {
    for (const decision of ['APPROVE', 'STEP_UP']) {
      const entry = { ...recorded, decision };
      const standing = await askOf(t, { decision: 'DECLINE', replayed, entry });
      t.match(standing, { decision: 'DECLINE', isRepeated: false }, decision);
    }
  });
}

/** The page of the log with the record of the payment's first key, if it is asked for by it. */
function foundBy(path: string, payment: Wanted, ...records: object[]) {
  const key = idempotencyKey(paymentIdentity('agt_1', payment), 1);
  const isAsked = path === `/api/v1/authorize/log?idempotency_key=${key}&limit=1`;
  const pagination = { has_more: false, next_cursor: null, limit: 1 };
  return { data: isAsked ? records : [], pagination };
}

test('a declined payment stays declined in other words too', async (t) => {
  const declined = { authorization_id: 'auth_2', decision: 'DECLINE', reason_codes: [] };
  const errors = [{ field: 'idempotency_key', message: 'differs', type: 'idempotency_key_reuse' }];
  const reused = { code: 'VALIDATION_ERROR', message: 'Reused.', details: { errors } };
  const authorize: Given[] = [{ body: declined }, { status: 422, body: { error: reused } }];
  const entry = { ...recorded, decision: 'APPROVE' };
  const { context } = await serve(t, (path) => {
    if (path === '/api/v1/authorize') return authorize.shift() ?? { status: 500, body: {} };
    return { body: path.endsWith('auth_2') ? entry : foundBy(path, books, entry) };
  });
  const first = await ask(context, books, AbortSignal.timeout(30_000));
  t.match(first, { decision: 'DECLINE' });
  const wanted = { ...books, reason: 'for the reading group' };
  const second = await ask(context, wanted, AbortSignal.timeout(30_000));
  t.match(second, { authorizationId: 'auth_2', decision: 'DECLINE', isRepeated: false });
});

test('a payment that is always declined is requested a bounded number of times', async (t) => {
  const declined = { authorization_id: 'auth_2', decision: 'DECLINE', reason_codes: [] };
  const { context, paths } = await serve(t, (path) =>
    path === '/api/v1/authorize'
      ? { headers: { 'idempotent-replayed': 'true' }, body: declined }
      : { body: { ...recorded, decision: 'DECLINE' } },
  );
  const standing = await ask(context, books, AbortSignal.timeout(30_000));
  t.match(standing, { decision: 'DECLINE', isRepeated: true });
  t.equal(paths.filter((path) => path === '/api/v1/authorize').length, maxAttempts);
});

test('a transfer in other words is the same, whatever its receiver is called', async (t) => {
  const transfer = { chain: 'base', asset: 'USDC', counterparty: '0xabc', value: '19.9' };
  const wanted = { ...books, merchant_name: 'Books of Example', crypto: transfer };
  const approved = { ...recorded, decision: 'APPROVE', crypto: transfer };
  const errors = [{ field: 'idempotency_key', message: 'differs', type: 'idempotency_key_reuse' }];
  const reused = { code: 'VALIDATION_ERROR', message: 'Reused.', details: { errors } };
  const { context } = await serve(t, (path) => {
    if (path === '/api/v1/authorize') return { status: 422, body: { error: reused } };
    return { body: path.endsWith('auth_2') ? approved : foundBy(path, wanted, approved) };
  });
  const told = await ask(context, wanted, AbortSignal.timeout(30_000));
  t.match(told, { decision: 'APPROVE', otherMerchant: null, transfer });
});

test('a payment whose earlier words cannot be found is explained, and no second one', async (t) => {
  const errors = [{ field: 'idempotency_key', message: 'differs', type: 'idempotency_key_reuse' }];
  const reused = { code: 'VALIDATION_ERROR', message: 'Reused.', details: { errors } };
  const { context } = await serve(t, (path) => {
    if (path === '/api/v1/authorize') return { status: 422, body: { error: reused } };
    return { body: foundBy(path, books) };
  });
  const { isError, content } = await answered(async () => {
    return answer('', { ...(await ask(context, books, AbortSignal.timeout(30_000))) });
  });
  const text = /do not pay.*exactly as then, or tell the user.*do not raise payment_number/is;
  t.match({ isError, content }, { isError: true, content: [{ text }] });
});

test('what was just decided holds where its record does not come', async (t) => {
  const standing = await askOf(t, { decision: 'APPROVE', replayed: false });
  t.has(standing, { decision: 'APPROVE', amount: '19.90', isRepeated: false });
});
