/** What callers are told who use one idempotency key more than once. */
import { Fault } from '@countersign/kernel/fault';
import { until } from '@countersign/runtime/testing';
import { t as file, test } from 'tap';
import { routes } from '../routes.js';
import { startPaying } from './paying.js';
import type { Answer } from './request.js';
import { away } from './stand-ins.js';
import type { Replica } from './world.js';

const paying = await startPaying();
file.teardown(() => paying.close());
const { world, services, options, body, authorize } = paying;

const decisionOf = (id: unknown) => `{"authorization_id":"${id}","decision":"APPROVE"}`;
const reuse = new Fault('invalid', {
  code: 'VALIDATION_ERROR',
  message: 'Used before.',
  errors: [{ field: 'idempotency_key', message: 'used', type: 'idempotency_key_reuse' }],
});

/** One that tells how many requests have come as far as to wait for their turn, or to have it. */
async function newReplica(given: Record<string, string> = {}) {
  const replica = await world.replica({ ...options, ...given }, { routes });
  const { keysInFlight } = replica.context;
  const inTurn = keysInFlight.inTurn.bind(keysInFlight);
  const seen = { turns: 0 };
  keysInFlight.inTurn = (...turn) => {
    seen.turns += 1;
    return inTurn(...turn);
  };
  return { replica, seen };
}

/** The ids that decision was asked about; the transport may have asked for one more than once. */
function asked(): string[] {
  const ids = services.requests('Authorize').map(({ authorizationId }) => authorizationId);
  return [...new Set(ids)];
}

/** A first request that decision holds back, and a second that has arrived while it does. */
async function overlapping(
  bodies: { first: Record<string, unknown>; second: Record<string, unknown> },
  { replica, seen }: { replica: Replica; seen: { turns: number } },
) {
  services.forget();
  let open = (): void => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  let outcome = (id: string): string => decisionOf(id);
  services.on('Authorize', async ({ authorizationId }) => {
    await gate;
    return { answer: outcome(authorizationId), replayed: false };
  });
  const before = seen.turns;
  const first = authorize(bodies.first, replica);
  await until(() => asked().length === 1);
  const second = authorize(bodies.second, replica);
  await until(() => seen.turns === before + 2);
  const finish = (how: (id: string) => string): Promise<[Answer, Answer]> => {
    outcome = how;
    open();
    return Promise.all([first, second]);
  };
  return { finish };
}

function fail(error: Fault): never {
  throw error;
}

test('a repeat of what is under way is told the same, and never decided itself', async (t) => {
  const set = await newReplica();
  services.on('RecordFailSafe', () => fail(away('ledger')));
  for (const [what, how, status] of [
    ['a decision', decisionOf, 200],
    ['a fail-safe answer', () => fail(away('ledger')), 200],
    ['a refusal', () => fail(reuse), 422],
  ] as const) {
    const sent = { ...body, idempotency_key: what.replaceAll(' ', '-') };
    const { finish } = await overlapping({ first: sent, second: sent }, set);
    const [first, second] = await finish(how);
    t.equal(asked().length, 1, what);
    t.equal(first.status, status);
    t.equal(second.status, status);
    if (status !== 200) continue;
    t.equal(second.text, first.text);
    t.equal(first.json.authorization_id, asked()[0]);
    t.equal(first.headers.get('idempotent-replayed'), null);
    const replayed = how === decisionOf ? 'true' : null;
    t.equal(second.headers.get('idempotent-replayed'), replayed, what);
  }
});

test('no id that may have been committed is missing from the journal', async (t) => {
  const { replica } = await newReplica();
  services.forget();
  services.on('Authorize', () => fail(away('ledger')));
  services.on('RecordFailSafe', () => fail(away('ledger')));
  const sent = { ...body, idempotency_key: 'order-crowd' };
  const crowd = await Promise.all(Array.from({ length: 10 }, () => authorize(sent, replica)));
  const kept = replica.context.failSafeJournal.waiting.all.map(({ id }) => id);
  t.same(
    asked().filter((id) => !kept.includes(id)),
    [],
  );
  t.equal(new Set(crowd.map(({ text }) => text)).size, 1, 'and all are told the same');
});

test('another body waits for its turn, and is held against what came of the first', async (t) => {
  const set = await newReplica();
  services.on('RecordFailSafe', () => fail(away('ledger')));
  const first = { ...body, idempotency_key: 'order-safe' };
  const second = { ...first, amount: '11.00' };
  const safe = await overlapping({ first, second }, set);
  const [declined, refused] = await safe.finish(() => fail(away('ledger')));
  t.same(declined.json.reason_codes, ['SYSTEM_FAIL_SAFE']);
  t.equal(refused.status, 422);
  t.match(refused.json.error.details.errors[0], { type: 'idempotency_key_reuse' });
  t.equal(asked().length, 1);

  const key = { idempotency_key: 'order-decided' };
  const decided = await overlapping(
    { first: { ...first, ...key }, second: { ...second, ...key } },
    set,
  );
  t.equal(asked().length, 1, 'one at a time');
  services.on('Authorize', () => fail(reuse));
  const [approved, reused] = await decided.finish(decisionOf);
  t.equal(approved.json.decision, 'APPROVE');
  t.equal(reused.status, 422);
  t.equal(asked().length, 2);
});

test('a repeat whose time is up is declined, and the key keeps its first answer', async (t) => {
  const { replica, seen } = await newReplica({ AUTHORIZE_DEADLINE_MS: '2000' });
  const { failSafeJournal } = replica.context;
  services.on('Authorize', () => ({ answer: decisionOf('warm'), replayed: false }));
  await until(async () => (await authorize(body, replica)).json.decision === 'APPROVE');
  seen.turns = 0;
  services.forget();
  services.on('Authorize', () => fail(away('ledger')));
  services.on('RecordFailSafe', () => fail(away('ledger')));
  // A disk that takes for ever keeps the first one under way beyond the time of the second.
  const record = failSafeJournal.record.bind(failSafeJournal);
  let disk: (() => void) | undefined;
  failSafeJournal.record = async (entry) => {
    await new Promise<void>((works) => {
      disk = works;
    });
    return record(entry);
  };
  const sent = { ...body, idempotency_key: 'order-late' };
  const first = authorize(sent, replica);
  await until(() => disk !== undefined);
  const late = await authorize(sent, replica);
  t.equal(seen.turns, 2);
  t.same(late.json.reason_codes, ['SYSTEM_FAIL_SAFE']);
  t.equal(late.headers.get('idempotent-replayed'), null);
  disk?.();
  const told = await first;
  t.not(late.json.authorization_id, told.json.authorization_id);
  t.same(asked(), [told.json.authorization_id], 'the late one was laid before nobody');
  t.same(
    failSafeJournal.waiting.all.map(({ id }) => id),
    asked(),
    'and is no decision',
  );
  t.equal((await authorize(sent, replica)).text, told.text);
});

test('one key, one answer, while nobody can record it and after', async (t) => {
  const replica = await world.replica(options, { routes });
  services.on('Authorize', () => {
    throw away('ledger');
  });
  services.on('RecordFailSafe', () => {
    throw away('ledger');
  });
  const sent = { ...body, idempotency_key: 'order-0002' };
  const first = await authorize(sent, replica);
  const again = await authorize(sent, replica);
  t.equal(again.text, first.text);
  t.equal(again.headers.get('idempotent-replayed'), null, 'an approval may have been first');
  const reused = await authorize({ ...sent, amount: '11.00' }, replica);
  t.equal(reused.status, 422);
  t.match(reused.json.error.details.errors[0], { type: 'idempotency_key_reuse' });

  // Back again: the first answer is put on record before the retry is decided.
  services.forget();
  services.on('RecordFailSafe', () => ({ outcome: 'recorded' }));
  services.on('Authorize', () => ({ answer: first.text, replayed: true }));
  const later = await authorize(sent, replica);
  t.equal(later.text, first.text);
  t.equal(later.headers.get('idempotent-replayed'), 'true');
  t.same(
    services.received.map(({ method }) => method),
    ['RecordFailSafe', 'Authorize'],
  );
});
