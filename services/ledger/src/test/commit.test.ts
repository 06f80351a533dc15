import { answerMarkers } from '@countersign/kernel/answer-marker';
import { newId } from '@countersign/kernel/id';
import type { CommitRequest, CommitResponse, NamedTransaction } from '@countersign/proto/ledger';
import { t as file, test } from 'tap';
import { answerTemplate, decisionOf, whole } from './answers.js';
import {
  callOf,
  count,
  createWorld,
  decide,
  faultOf,
  type Ledger,
  newSpender,
  proposalOf,
} from './fixture.js';

const records = 'SELECT count(*) FROM authorization_record';

const world = await createWorld(file);
const ledger = await world.start();
const other = await world.start();

async function commit(to: Ledger, request: CommitRequest): Promise<CommitResponse> {
  return whole(request, await to.handlers.Commit(request, callOf(to)));
}

test('of 50 approvals of 10.00 under a daily limit of 200.00 exactly 20 succeed', async (t) => {
  const spender = newSpender();
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => decide(ledger, proposalOf(spender))),
  );
  t.ok(answers.every(({ outcome }) => outcome === 'recorded'));
  const decisions = answers.map(decisionOf);
  t.equal(decisions.filter((decision) => decision === 'APPROVE').length, 20);
  t.equal(decisions.filter((decision) => decision === 'DECLINE').length, 30);
  const usage = await ledger.handlers.GetUsage({ mandateId: spender.mandateId }, callOf(ledger));
  t.has(usage, {
    dailyAmount: '200',
    dailyCount: 20,
    monthlyAmount: '200',
    monthlyCount: 20,
  });
});

test('only the middle of an answer is a template, and replays return all of it', async (t) => {
  const spender = newSpender();
  const request = proposalOf(spender, {
    answerHead: '{"head":"100 %s of \\"it\\"",',
    answerTemplate: `"used":"${answerMarkers.dailyAmountUsed}"`,
    answerTail: ',"tail":"%1$s ä"}',
  });
  const answer = '{"head":"100 %s of \\"it\\"","used":"10.00","tail":"%1$s ä"}';
  t.match(await commit(ledger, request), { outcome: 'recorded', answer });
  t.match(await commit(other, request), { outcome: 'replayed', answer });
});

test('two replicas use up one limit exactly', async (t) => {
  const spender = newSpender();
  const limits = { dailyAmount: '1000.00', monthlyAmount: '5000.00' };
  const answers = await Promise.all(
    Array.from({ length: 400 }, (_, index) =>
      decide(index % 2 ? ledger : other, proposalOf(spender, { limits })),
    ),
  );
  const approved = answers.filter((answer) => decisionOf(answer) === 'APPROVE');
  t.equal(approved.length, 100);
  const sum = await count(
    ledger,
    `SELECT sum(amount) FROM authorization_record WHERE mandate_id = $1 AND decision = 'APPROVE'`,
    [spender.mandateId],
  );
  t.equal(sum, 1000);
});

test('the usage of mandates shared by replicas is exact', async (t) => {
  const spenders = Array.from({ length: 6 }, () => newSpender());
  const limits = { dailyCount: 20 };
  await Promise.all(
    Array.from({ length: 600 }, (_, index) => {
      const spender = spenders[index % 6] ?? newSpender();
      const amount = `${1 + (index % 7)}.5`;
      return decide(index % 4 < 2 ? ledger : other, proposalOf(spender, { limits, amount }));
    }),
  );
  const wrong = await count(
    ledger,
    `SELECT count(*) FROM mandate_usage u JOIN (
         SELECT mandate_id, sum(amount) AS amount, count(*) AS n FROM authorization_record
         WHERE decision = 'APPROVE' GROUP BY mandate_id
       ) r USING (mandate_id)
       WHERE u.day_amount <> r.amount OR u.day_count <> r.n`,
  );
  t.equal(wrong, 0);
  for (const { mandateId } of spenders) {
    const usage = await ledger.handlers.GetUsage({ mandateId }, callOf(ledger));
    t.equal(usage.dailyCount, 20);
  }
});

test('each limit has its own code', async (t) => {
  const cases = [
    [{ dailyAmount: '9.99' }, ['DAILY_AMOUNT_EXCEEDED']],
    [{ monthlyAmount: '9.99' }, ['MONTHLY_AMOUNT_EXCEEDED']],
    [{ dailyCount: 0 }, ['DAILY_COUNT_EXCEEDED']],
    [{ monthlyCount: 0 }, ['MONTHLY_COUNT_EXCEEDED']],
    [
      { dailyAmount: '5', monthlyAmount: '5', dailyCount: 0, monthlyCount: 0 },
      [
        'DAILY_AMOUNT_EXCEEDED',
        'MONTHLY_AMOUNT_EXCEEDED',
        'DAILY_COUNT_EXCEEDED',
        'MONTHLY_COUNT_EXCEEDED',
      ],
    ],
  ] as const;
  for (const [limits, codes] of cases) {
    const response = await commit(ledger, proposalOf(newSpender(), { limits }));
    t.match(response, { outcome: 'limits_differ', limitCodes: codes, usage: { dailyCount: 0 } });
  }
  const exact = proposalOf(newSpender(), { limits: { dailyAmount: '10', dailyCount: 1 } });
  t.equal((await commit(ledger, exact)).outcome, 'recorded');
  const mismatched = proposalOf(newSpender(), {
    decision: 'DECLINE',
    reasonCodes: ['DAILY_AMOUNT_EXCEEDED'],
    limitCodes: ['DAILY_AMOUNT_EXCEEDED'],
  });
  t.match(await commit(ledger, mismatched), { outcome: 'limits_differ', limitCodes: [] });
});

test('the same id or key always gets the same answer, byte for byte', async (t) => {
  const spender = newSpender();
  const request = proposalOf(spender, { idempotencyKey: 'key-00000001' });
  const first = await commit(ledger, request);
  const replay = { answer: first.answer, usage: first.usage };
  await commit(ledger, proposalOf(spender));
  const byId = await commit(ledger, { ...request, answerTemplate: 'another' });
  t.has(byId, { ...replay, outcome: 'replayed' });
  const authorizationId = newId('authorization');
  const byKey = await commit(ledger, { ...request, authorizationId });
  t.has(byKey, { ...replay, outcome: 'replayed' });
  t.equal(
    first.answer,
    answerTemplate(request.authorizationId, 'APPROVE')
      .replace('\ue000A\ue001', '10.00')
      .replace('\ue000B\ue001', '10.00')
      .replace('\ue000C\ue001', '1')
      .replace('\ue000D\ue001', '1')
      .replace('\ue000E\ue001', '190.00'),
  );
});

test('concurrent first uses of a key lead to one record and one answer', async (t) => {
  const spender = newSpender();
  const before = await count(ledger, records);
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, index) =>
      commit(
        index % 2 ? ledger : other,
        // Different mandates may be in different lanes, so only the database detects the conflict.
        proposalOf(newSpender({ principalId: spender.principalId }), {
          idempotencyKey: 'key-concurrent',
        }),
      ),
    ),
  );
  t.equal((await count(ledger, records)) - before, 1);
  t.equal(answers.filter(({ outcome }) => outcome === 'recorded').length, 1);
  t.equal(new Set(answers.map(({ answer }) => answer)).size, 1);
  const reserved = await count(
    ledger,
    `SELECT count(*) FROM mandate_usage u WHERE day_count > 0 AND NOT EXISTS (
         SELECT FROM authorization_record r WHERE r.mandate_id = u.mandate_id
       )`,
  );
  t.equal(reserved, 0, 'a replay reserves nothing');
});

test('a new record returns only the middle of its answer, a replay everything', async (t) => {
  const request = proposalOf(newSpender(), { answerTail: 'the tail' });
  const send = () => ledger.handlers.Commit(request, callOf(ledger));
  const [first, follower] = await Promise.all([send(), send()]);
  t.match(first, { outcome: 'recorded', answer: undefined });
  const answer = `${request.answerHead}${first.answerMiddle}the tail`;
  t.match(follower, { outcome: 'replayed', answer, answerMiddle: undefined });
  t.match(await send(), { outcome: 'replayed', answer, answerMiddle: undefined });
});

test('duplicates in one batch get the answer of the first', async (t) => {
  const spender = newSpender();
  const request = proposalOf(spender, { idempotencyKey: 'key-batch' });
  const [first, same, other, sameId] = await Promise.all([
    commit(ledger, request),
    commit(ledger, { ...request, authorizationId: newId('authorization') }),
    commit(ledger, { ...request, authorizationId: newId('authorization'), bodyHash: 'other' }),
    commit(ledger, request),
  ]);
  t.equal(first.outcome, 'recorded');
  const replay = { answer: first.answer, usage: first.usage };
  t.has(same, { ...replay, outcome: 'replayed' });
  t.has(sameId, { ...replay, outcome: 'replayed' });
  t.match(other, { outcome: 'key_reused', answer: undefined });
});

test('the answer of a key is found without a new decision, only by its Principal', async (t) => {
  const request = proposalOf(newSpender(), { idempotencyKey: 'key-looked-up' });
  const { principalId, bodyHash } = request;
  const lookup = { principalId, idempotencyKey: 'key-looked-up', bodyHash };
  const find = (overrides: Partial<typeof lookup>) =>
    ledger.handlers.FindReplay({ ...lookup, ...overrides }, callOf(ledger));
  t.match(await find({}), { outcome: 'absent', answer: undefined });
  const { answer } = await commit(ledger, request);
  const [found, reused, strange, unknown] = await Promise.all([
    find({}),
    find({ bodyHash: 'other' }),
    find({ principalId: newSpender().principalId }),
    find({ idempotencyKey: 'key-never-used' }),
  ]);
  t.match(found, { outcome: 'replayed', answer });
  t.match(reused, { outcome: 'key_reused', answer: undefined });
  t.match(strange, { outcome: 'absent', answer: undefined });
  t.match(unknown, { outcome: 'absent', answer: undefined });
});

test('a key with another body is rejected; keys are scoped to the principal', async (t) => {
  const idempotencyKey = 'key-shared';
  const spender = newSpender();
  await commit(ledger, proposalOf(spender, { idempotencyKey }));
  const reused = await commit(
    ledger,
    proposalOf(spender, { idempotencyKey, bodyHash: 'other body' }),
  );
  t.equal(reused.outcome, 'key_reused');
  const own = await commit(ledger, proposalOf(newSpender(), { idempotencyKey }));
  t.equal(own.outcome, 'recorded');
});

test("another principal's id is never replayed", async (t) => {
  const request = proposalOf(newSpender());
  await commit(ledger, request);
  const stolen = { ...request, principalId: newId('principal') };
  t.equal((await faultOf(commit(ledger, stolen))).kind, 'unavailable');
});

test('a given transaction must belong to the principal', async (t) => {
  const spender = newSpender();
  const request = proposalOf(spender);
  await commit(ledger, request);
  const { transactionId } = request;
  const threaded = { transactionId, transactionGiven: true };
  const own = await commit(ledger, proposalOf(spender, threaded));
  t.equal(own.outcome, 'recorded');
  const foreign = await commit(ledger, proposalOf(newSpender(), threaded));
  t.equal(foreign.outcome, 'transaction_unknown');
});

test('GetUsage reports whether a transaction belongs to the principal', async (t) => {
  const { principalId, ...spender } = newSpender();
  const request = proposalOf({ principalId, ...spender });
  await commit(ledger, request);
  const { transactionId, mandateId } = request;
  const unknown = async (transaction: NamedTransaction, named = mandateId): Promise<boolean> => {
    const { handlers } = ledger;
    const lookup = { mandateId: named ?? '', transaction };
    return (await handlers.GetUsage(lookup, callOf(ledger))).transactionUnknown;
  };
  t.equal(await unknown({ transactionId, principalId }), false);
  t.equal(await unknown({ transactionId, principalId }, ''), false, 'without a mandate too');
  t.equal(await unknown({ transactionId, principalId: newId('principal') }), true);
  t.equal(await unknown({ transactionId: newId('transaction'), principalId }), true);
});

test('an invalid proposal is rejected before it is sent', async (t) => {
  const spender = newSpender();
  const bad: Array<Partial<CommitRequest>> = [
    { reasonCodes: ['FRAUD_SUSPECTED'] },
    { limitCodes: ['FRAUD_SUSPECTED'] },
    { decision: 'MAYBE' },
    { amount: '1e3' },
    { amount: '0.00' },
    { decision: 'STEP_UP' },
    { decidedAt: 'yesterday' },
    { eventDataJson: '[]' },
  ];
  for (const given of bad) {
    const fault = await faultOf(commit(ledger, proposalOf(spender, given)));
    t.equal(fault.kind, 'internal', JSON.stringify(given));
  }
  const { mandateId: _, ...unmandated } = proposalOf(spender);
  t.equal((await faultOf(commit(ledger, unmandated))).kind, 'internal');
});

test('a time that differs too much is rejected, except for a late fail-safe', async (t) => {
  const spender = newSpender();
  const decidedAt = new Date(Date.now() - 40_000).toISOString();
  t.equal((await faultOf(commit(ledger, proposalOf(spender, { decidedAt })))).kind, 'unavailable');
  const failSafe = { decision: 'DECLINE', reasonCodes: ['SYSTEM_FAIL_SAFE'] };
  const late = await commit(ledger, proposalOf(spender, { decidedAt, ...failSafe }));
  t.equal(late.outcome, 'recorded');
  const early = new Date(Date.now() + 40_000).toISOString();
  const hasty = proposalOf(spender, { decidedAt: early, ...failSafe });
  t.equal((await faultOf(commit(ledger, hasty))).kind, 'unavailable');
});

test('a proposal that the database rejects does not fail others of its batch', async (t) => {
  const spender = newSpender();
  const limits = { dailyAmount: '100000.00' };
  const poison = new Map<number, Partial<CommitRequest>>([
    [7, { merchantName: 'a\u0000b' }],
    [31, { rail: 'BANK' }],
    [32, { exponent: 99_999 }],
    [90, { limits: { dailyAmount: 'much' } }],
  ]);
  const outcomes = await Promise.all(
    Array.from({ length: 100 }, (_, index) =>
      commit(ledger, proposalOf(spender, { limits, ...poison.get(index) })).then(
        ({ outcome }) => outcome,
        () => 'failed',
      ),
    ),
  );
  for (const [index, outcome] of outcomes.entries()) {
    t.equal(outcome, poison.has(index) ? 'failed' : 'recorded', `proposal ${index}`);
  }
  const usage = await ledger.handlers.GetUsage({ mandateId: spender.mandateId }, callOf(ledger));
  t.equal(usage.dailyCount, 96);
});

test('a proposal without agent or mandate reserves nothing', async (t) => {
  const {
    agentId: _,
    mandateId: __,
    ...unknown
  } = proposalOf(newSpender(), {
    decision: 'DECLINE',
    reasonCodes: ['AGENT_NOT_FOUND'],
    limits: null,
  });
  const { answer = '' } = await commit(ledger, unknown);
  t.has(JSON.parse(answer), { daily_amount_used: '0.00', daily_count_used: 0 });
});

test('amounts keep the decimals of their currency', async (t) => {
  const yen = { currency: 'JPY', exponent: 0, amount: '1500', limits: { dailyAmount: '2000' } };
  const dinar = { currency: 'KWD', exponent: 3, amount: '1.5', limits: { dailyAmount: '2' } };
  const answers = [
    await commit(ledger, proposalOf(newSpender(), yen)),
    await commit(ledger, proposalOf(newSpender(), dinar)),
  ].map(({ answer = '' }) => JSON.parse(answer));
  t.has(answers[0], { daily_amount_used: '1500', reason_detail: '100 % sure, "500" left' });
  t.has(answers[1], { daily_amount_used: '1.500', reason_detail: '100 % sure, "0.500" left' });
});

test('windows advance with the time of the decision and never go back', async (t) => {
  let now = Date.parse('2027-01-30T23:59:58.000Z');
  const dated = await world.start({ clock: () => now });
  const at = (time: string): string => {
    now = Date.parse(time);
    return time;
  };
  const limits = { dailyAmount: '20.00', monthlyAmount: '50.00' };
  const spender = newSpender();
  const spend = (decidedAt: string): Promise<CommitResponse> =>
    commit(dated, proposalOf(spender, { decidedAt, limits }));
  const used = (): Promise<object> =>
    dated.handlers.GetUsage({ mandateId: spender.mandateId }, callOf(dated));

  await spend(at('2027-01-30T23:59:58.000Z'));
  await spend(at('2027-01-30T23:59:59.999Z'));
  t.match(await spend(now ? new Date(now).toISOString() : ''), { outcome: 'limits_differ' });
  t.has(await used(), { day: '2027-01-30', dailyAmount: '20', monthlyAmount: '20' });

  const next = await spend(at('2027-01-31T00:00:00.000Z'));
  t.equal(next.outcome, 'recorded', 'a new day starts with the full limit');
  t.has(await used(), { day: '2027-01-31', dailyAmount: '10', monthlyAmount: '30' });

  const late = proposalOf(spender, { decidedAt: '2027-01-30T23:59:59.500Z', limits });
  t.equal((await commit(dated, late)).outcome, 'recorded');
  t.has(await used(), { day: '2027-01-31', dailyAmount: '20' }, 'windows never go back');
  const tenant = { clientId: spender.clientId, principalId: spender.principalId };
  const entry = await dated.handlers.GetAuthorization(
    { tenant, authorizationId: late.authorizationId },
    callOf(dated),
  );
  t.equal(
    entry.createdAt,
    '2027-01-31T00:00:00.000Z',
    'its time is in the day in which it was counted',
  );

  t.match(await spend(at('2027-02-01T00:00:00.000Z')), { outcome: 'recorded' });
  t.has(await used(), { month: '2027-02', dailyAmount: '10', monthlyAmount: '10' });
  at('2027-03-01T00:00:00.000Z');
  t.has(await used(), { day: '2027-03-01', month: '2027-03', dailyAmount: '0', dailyCount: 0 });
});
