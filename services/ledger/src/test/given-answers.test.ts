import { failSafeAnswer } from '@countersign/kernel/fail-safe';
import { newId } from '@countersign/kernel/id';
import type { CommitRequest, CommitResponse } from '@countersign/proto/ledger';
import { t as file, test } from 'tap';
import { decisionOf, whole } from './answers.js';
import {
  callOf,
  count,
  createWorld,
  decide,
  faultOf,
  type Ledger,
  newSpender,
  proposalOf,
  retryUnavailable,
  type Spender,
} from './fixture.js';

const world = await createWorld(file);
let now = Date.now();
const ledger = await world.start({ clock: () => now });
const other = await world.start({ clock: () => now });
const { handlers } = ledger;
const call = callOf(ledger);

const iso = (ms: number): string => new Date(ms).toISOString();

function decided(spender: Spender, given: Partial<CommitRequest> = {}): CommitRequest {
  return proposalOf(spender, { decidedAt: iso(now), idempotencyKey: newId('event'), ...given });
}

/** A given answer of the gateway, as the decision service forwards it. */
function givenAnswer(request: CommitRequest, given: Partial<CommitRequest> = {}): CommitRequest {
  const { mandateId: _mandate, limits: _limits, stepUpExpiresAt: _expiry, ...payment } = request;
  const authorizationId = given.authorizationId ?? request.authorizationId;
  return {
    ...payment,
    decision: 'DECLINE',
    reasonCodes: ['SYSTEM_FAIL_SAFE'],
    answerTemplate: failSafeAnswer({
      authorizationId,
      transactionId: request.transactionId,
      correlationKey: '100 % sure',
      agentId: request.agentId ?? null,
      currency: 'USD',
      processingTimeMs: 1_234.5,
    }),
    factsJson: '{"cause":"ANSWERED_AT_THE_EDGE"}',
    decidedAt: iso(now + 1_500),
    eventDataJson: JSON.stringify({ authorizationId, decision: 'DECLINE', reasonDetail: '5 %' }),
    answerGiven: true,
    ...given,
  };
}

async function commit(request: CommitRequest, on: Ledger = ledger): Promise<CommitResponse> {
  return whole(request, await retryUnavailable(() => on.handlers.Commit(request, callOf(on))));
}

/** The answer to a retry, which must not depend on whether the retry is decided first. */
async function retried(
  request: CommitRequest,
): Promise<Pick<CommitResponse, 'outcome' | 'answer'>> {
  const { principalId, idempotencyKey = '', bodyHash } = request;
  const { outcome, answer } = await commit(request);
  const found = await handlers.FindReplay({ principalId, idempotencyKey, bodyHash }, call);
  if (found.outcome !== outcome || found.answer !== answer) {
    throw new Error(`a retry is told ${outcome} and ${found.outcome}`);
  }
  return found;
}

function entryOf({ principalId, clientId, authorizationId }: CommitRequest) {
  const tenant = { principalId, clientId };
  return handlers.GetAuthorization({ tenant, authorizationId }, call);
}

function usageOf({ mandateId }: Spender) {
  return handlers.GetUsage({ mandateId }, call);
}

async function eventsOf({ authorizationId }: CommitRequest): Promise<unknown[]> {
  const { rows } = await ledger.context.stores.live.pool.query<{ payload: string }>(
    `SELECT event::text AS payload
     FROM outbox, json_array_elements(('[' || payload || ']')::json) event
     WHERE event -> 'data' ->> 'authorizationId' = $1 ORDER BY seq`,
    [authorizationId],
  );
  return rows.map(({ payload }) => JSON.parse(payload));
}

test('an approval that was never answered is voided by the given answer', async (t) => {
  const spender = newSpender();
  const kept = decided(spender);
  await commit(kept);
  const request = decided(spender);
  t.equal(decisionOf(await commit(request)), 'APPROVE');
  t.has(await usageOf(spender), { dailyAmount: '20', dailyCount: 2 });
  const told = givenAnswer(request);
  const response = await commit(told);
  t.match(response, { outcome: 'recorded', answer: told.answerTemplate });
  t.has(await usageOf(spender), { dailyAmount: '10', dailyCount: 1, monthlyCount: 1 });
  const entry = await entryOf(request);
  t.has(entry, {
    decision: 'DECLINE',
    reasonCodes: ['SYSTEM_FAIL_SAFE'],
    reversedAmount: '10.00',
    answer: told.answerTemplate,
    decisionHistory: [
      { decision: 'APPROVE', reasonCodes: [] },
      { decision: 'DECLINE', reasonCodes: ['SYSTEM_FAIL_SAFE'], by: 'system' },
    ],
  });
  const before = await eventsOf(request);
  t.match(before, [
    { type: 'authorization.recorded', data: { decision: 'APPROVE' } },
    {
      type: 'authorization.amended',
      clientId: spender.clientId,
      data: {
        amendment: 'VOIDED',
        decision: 'DECLINE',
        amount: '10.00',
        currency: 'USD',
        agentId: spender.agentId,
      },
    },
    { type: 'authorization.recorded', data: { decision: 'DECLINE', reasonDetail: '5 %' } },
  ]);
  for (const again of [told, request, { ...request, authorizationId: newId('authorization') }]) {
    t.match(await commit(again), { outcome: 'replayed', answer: told.answerTemplate });
  }
  const other = { ...request, authorizationId: newId('authorization'), bodyHash: 'other' };
  t.equal((await commit(other)).outcome, 'key_reused');
  t.same(await eventsOf(request), before, 'one event');
  const tenant = { ...spender, authorizationId: request.authorizationId };
  const reversal = await handlers.Reverse({ tenant, ...tenant, requestedBy: 'prn' }, call);
  t.has(reversal, { reversed: false, decision: 'DECLINE', releasedAmount: '0' });
  t.has(await usageOf(spender), { dailyAmount: '10', dailyCount: 1 });
});

test('voiding a partly reversed approval releases the remaining amount', async (t) => {
  const spender = newSpender();
  const request = decided(spender);
  await commit(request);
  const which = { tenant: spender, authorizationId: request.authorizationId };
  await handlers.Reverse({ ...which, amount: '4.00', requestedBy: 'prn', reversalId: 'r' }, call);
  await commit(givenAnswer(request));
  t.has(await usageOf(spender), { dailyAmount: '0', dailyCount: 0 });
  t.equal((await entryOf(request)).reversedAmount, '10.00');
});

test('pending and confirmed challenges and declines are voided as well', async (t) => {
  const stepUp = {
    decision: 'STEP_UP',
    reasonCodes: ['AMOUNT_STEP_UP'],
    stepUpExpiresAt: iso(now + 300_000),
  };
  const spender = newSpender();
  const [open, confirmed, declined] = [
    decided(spender, stepUp),
    decided(spender, stepUp),
    decided(spender, { decision: 'DECLINE', reasonCodes: ['MCC_BLOCKED'] }),
  ] as const;
  for (const request of [open, confirmed, declined]) await commit(request);
  const confirm = ({ authorizationId }: CommitRequest) =>
    handlers.ConfirmStepUp(
      { tenant: spender, authorizationId, confirmedBy: 'prn', attestationJson: '{"jws":"yes"}' },
      call,
    );
  t.equal((await confirm(confirmed)).outcome, 'confirmed');
  t.equal((await entryOf(confirmed)).attestationJson, '{"jws":"yes"}');
  t.has(await usageOf(spender), { dailyAmount: '10' });
  for (const request of [open, confirmed, declined]) {
    t.match(await commit(givenAnswer(request)), { outcome: 'recorded' });
    const { decision, reasonCodes, decisionHistory } = await entryOf(request);
    t.same([decision, ...reasonCodes], ['DECLINE', 'SYSTEM_FAIL_SAFE']);
    t.equal(decisionHistory.length, request === confirmed ? 3 : 2);
    t.equal((await entryOf(request)).attestationJson, undefined, 'no approval is attested');
  }
  t.has(await usageOf(spender), { dailyAmount: '0', dailyCount: 0 });
  t.equal((await confirm(open)).outcome, 'already_answered');
  t.equal((await entryOf(open)).stepUp?.status, 'DENIED');
  const pending = await handlers.ListPendingStepUps({ tenant: spender, page: { limit: 10 } }, call);
  t.same(pending.entries, []);
});

test('if the record is a fail-safe DECLINE too, only the answer is replaced', async (t) => {
  const request = decided(newSpender());
  const told = givenAnswer(request);
  const own = {
    ...told,
    answerGiven: false,
    answerTemplate: told.answerTemplate.replace('4.5', '9'),
  };
  await commit(own);
  t.match(await commit(told), { outcome: 'recorded', answer: told.answerTemplate });
  t.match(await commit(request), { outcome: 'replayed', answer: told.answerTemplate });
  const entry = await entryOf(request);
  t.equal(entry.decisionHistory.length, 1);
  t.equal((await eventsOf(request)).length, 1);
});

test('a given answer without a record is recorded, and a late proposal is replayed', async (t) => {
  const spender = newSpender();
  const request = decided(spender);
  const told = givenAnswer(request);
  t.match(await commit(told), { outcome: 'recorded', answer: told.answerTemplate });
  t.match(await retried(request), { outcome: 'replayed', answer: told.answerTemplate });
  t.match(await commit(told), { outcome: 'replayed', answer: told.answerTemplate });
  t.match(await usageOf(spender), { dailyCount: 0 });
  t.equal((await eventsOf(request)).length, 1);
});

test('an idempotency key keeps the answer that it was given before', async (t) => {
  const first = decided(newSpender());
  const answered = await commit(first);
  const told = givenAnswer(first, { authorizationId: newId('authorization') });
  t.match(await commit(told), { outcome: 'replayed', answer: answered.answer });
  t.match(await retried(first), { outcome: 'replayed', answer: answered.answer });
  const id = [told.authorizationId];
  const records = 'SELECT count(*) FROM authorization_record WHERE id = $1';
  t.equal(await count(ledger, records, id), 0, 'a failed look-up is not a decision');
  const body = { ...told, bodyHash: 'other' };
  t.equal((await commit(body)).outcome, 'key_reused');
  const { idempotencyKey: _key, ...keyless } = body;
  t.equal((await commit(keyless)).outcome, 'recorded');
});

test('a key keeps a given answer that was its first, even if it was used since', async (t) => {
  const spender = newSpender();
  const later = decided(spender);
  const answered = await commit(later);
  const ids = [newId('authorization'), newId('authorization')] as const;
  const told = ids.map((authorizationId, n) =>
    givenAnswer(later, { authorizationId, decidedAt: iso(now - 1_000 * (n + 1)) }),
  );
  for (const [n, request] of told.entries()) {
    t.match(await commit(request), { outcome: 'replayed', answer: request.answerTemplate });
    t.match(await commit(request), { outcome: 'replayed', answer: request.answerTemplate });
    const retry = { ...later, authorizationId: newId('authorization') };
    t.match(await retried(retry), { outcome: 'replayed', answer: request.answerTemplate }, `${n}`);
    t.equal((await retried({ ...retry, bodyHash: 'other' })).outcome, 'key_reused');
    t.match(await entryOf(request), { decision: 'DECLINE', reasonCodes: ['SYSTEM_FAIL_SAFE'] });
  }
  const between = givenAnswer(later, {
    authorizationId: newId('authorization'),
    decidedAt: iso(now - 1_500),
  });
  const [, earliest] = told;
  t.match(await commit(between), { outcome: 'replayed', answer: earliest?.answerTemplate });
  // This approval was answered too and may have been paid, so it remains and can be reversed.
  t.match(await entryOf(later), { decision: 'APPROVE', answer: answered.answer });
  t.match(await usageOf(spender), { dailyCount: 1 });
  t.match(await commit(givenAnswer(later)), { outcome: 'recorded' });
  const first = { outcome: 'replayed', answer: earliest?.answerTemplate };
  t.match(await retried(later), first, 'also once the approval is voided');
});

test('a retry of a key is compared with the body that was answered first', async (t) => {
  const holder = decided(newSpender());
  await commit(holder);
  const early = { authorizationId: newId('authorization'), decidedAt: iso(now - 1_000) };
  const first = givenAnswer(holder, { ...early, bodyHash: 'the first body' });
  await commit(first);
  for (const send of [retried, (retry: CommitRequest) => commit(givenAnswer(retry))]) {
    const again = (bodyHash: string) =>
      send({ ...holder, authorizationId: newId('authorization'), bodyHash });
    t.match(await again(first.bodyHash), { outcome: 'replayed', answer: first.answerTemplate });
    t.equal((await again(holder.bodyHash)).outcome, 'key_reused');
  }
});

test('a second, different answer for a voided authorization changes nothing', async (t) => {
  const spender = newSpender();
  const request = decided(spender);
  await commit(request);
  const first = givenAnswer(request);
  await commit(first);
  const before = [await usageOf(spender), await entryOf(request), await eventsOf(request)];
  const second = givenAnswer(request, {
    answerTemplate: first.answerTemplate.replace('4.5', '9'),
    decidedAt: iso(now + 1_600),
  });
  t.not(second.answerTemplate, first.answerTemplate);
  for (const on of [ledger, other]) {
    t.match(await commit(second, on), { outcome: 'replayed', answer: first.answerTemplate });
  }
  t.match(await retried(request), { outcome: 'replayed', answer: first.answerTemplate });
  t.same([await usageOf(spender), await entryOf(request), await eventsOf(request)], before);
});

test('of answers to one key in the same instant the one that was put first remains', async (t) => {
  const holder = decided(newSpender());
  const answered = await commit(holder);
  const together = givenAnswer(holder, {
    authorizationId: newId('authorization'),
    decidedAt: holder.decidedAt,
  });
  t.match(await commit(together), { outcome: 'replayed', answer: answered.answer });
  const [smaller, larger] = [newId('authorization'), newId('authorization')].sort();
  const earlier = iso(now - 1_000);
  const first = givenAnswer(holder, { authorizationId: larger, decidedAt: earlier });
  const second = givenAnswer(holder, { authorizationId: smaller, decidedAt: earlier });
  for (const given of [first, second, first]) {
    t.match(await commit(given), { outcome: 'replayed', answer: first.answerTemplate });
  }
  t.match(await retried(holder), { outcome: 'replayed', answer: first.answerTemplate });
});

test('the same key of another Principal has its own answers', async (t) => {
  const idempotencyKey = 'key-of-two';
  const early = (request: CommitRequest, seconds: number) =>
    givenAnswer(request, {
      authorizationId: newId('authorization'),
      decidedAt: iso(now - seconds * 1_000),
    });
  const [one, two] = [
    decided(newSpender(), { idempotencyKey }),
    decided(newSpender(), { idempotencyKey }),
  ];
  await commit(one);
  const { answer } = await commit(two);
  const first = early(one, 10);
  t.match(await commit(first), { outcome: 'replayed', answer: first.answerTemplate });
  t.match(await retried(one), { outcome: 'replayed', answer: first.answerTemplate });
  t.match(await retried(two), { outcome: 'replayed', answer });
  const late = givenAnswer(two, { authorizationId: newId('authorization') });
  t.match(await commit(late), { outcome: 'replayed', answer });
  const own = early(two, 5);
  t.match(await commit(own), { outcome: 'replayed', answer: own.answerTemplate });
  t.match(await retried(two), { outcome: 'replayed', answer: own.answerTemplate });
  t.match(await retried(one), { outcome: 'replayed', answer: first.answerTemplate });
});

test('another principal gets no answer, and only a fail-safe DECLINE can be given', async (t) => {
  const request = decided(newSpender());
  await commit(request);
  const stranger = givenAnswer(decided(newSpender()), { authorizationId: request.authorizationId });
  t.equal((await commit(stranger)).outcome, 'id_taken');
  t.equal((await entryOf(request)).decision, 'APPROVE');
  const others: Array<Partial<CommitRequest>> = [
    { decision: 'APPROVE', reasonCodes: [] },
    { reasonCodes: ['MCC_BLOCKED'] },
    { reasonCodes: ['SYSTEM_FAIL_SAFE', 'MCC_BLOCKED'] },
    { limitCodes: ['DAILY_AMOUNT_EXCEEDED'] },
  ];
  for (const given of others) {
    const told = { ...givenAnswer(request), mandateId: request.mandateId, ...given };
    t.equal((await faultOf(commit(told))).kind, 'internal', JSON.stringify(given));
  }
  t.equal((await entryOf(request)).decision, 'APPROVE');
});

test('concurrent deliveries and retries lead to one void and one answer', async (t) => {
  const rounds = 12;
  const spender = newSpender();
  for (let round = 0; round < rounds; round += 1) {
    const request = decided(spender, { limits: { dailyAmount: '100000' } });
    const told = givenAnswer(request);
    const early = round % 2 === 0 ? [request] : [];
    const crowd = [...early, told, request, told, told, request].map((each, n) =>
      commit(each, n % 2 ? other : ledger),
    );
    const retry = { ...request, authorizationId: newId('authorization') };
    crowd.push(commit(retry, other), commit(retry));
    await Promise.all(crowd);
    // Another delivery, as the journal repeats it until it is acknowledged.
    await commit(told);
    const replies = await Promise.all(
      [request, told, retry].map((each, n) => commit(each, n % 2 ? other : ledger)),
    );
    const kept = new Set(replies.map(({ answer = '' }) => answer));
    t.equal(kept.size, 1, `round ${round}`);
    // A retry used the key first and was decided before the answer was given.
    if (!kept.has(told.answerTemplate)) t.match([...kept].join(), /APPROVE/);
  }
  const unbalanced = await count(
    ledger,
    `SELECT coalesce(sum(r.amount), 0) - coalesce((
       SELECT sum(v.amount) FROM reversal v JOIN authorization_record a ON a.id = v.authorization_id
       WHERE a.mandate_id = $1), 0) - (SELECT day_amount FROM mandate_usage WHERE mandate_id = $1)
     FROM authorization_record r WHERE r.mandate_id = $1 AND r.decision = 'APPROVE'`,
    [spender.mandateId],
  );
  t.equal(unbalanced, 0);
  const twice = `SELECT count(*) FROM (
    SELECT authorization_id FROM reversal GROUP BY 1 HAVING count(*) > 1) doubled`;
  t.equal(await count(ledger, twice), 1, 'only of the test with partial reversals');
});

test('a void on a later day releases the window in which it was reserved', async (t) => {
  const spender = newSpender();
  const request = decided(spender);
  await commit(request);
  now += 24 * 3_600_000;
  await decide(ledger, decided(spender));
  await commit(givenAnswer(request, { decidedAt: iso(now - 24 * 3_600_000 + 1_500) }));
  t.has(await usageOf(spender), { dailyAmount: '10', dailyCount: 1 });
});
