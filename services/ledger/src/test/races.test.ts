import { type Random, randomFrom, until } from '@countersign/runtime/testing';
import { waitingForLocks } from '@countersign/runtime/testing/locks';
import { t as file, test } from 'tap';
import { answerTemplate, decisionOf, whole } from './answers.js';
import { asChallenge } from './challenge.js';
import {
  callOf,
  count,
  createWorld,
  decide,
  type Ledger,
  newSpender,
  proposalOf,
  retryUnavailable,
  type Spender,
} from './fixture.js';

const world = await createWorld(file);
const replicas = [await world.start(), await world.start()];
const [ledger = await world.start()] = replicas;
const call = callOf(ledger);
const limits = { dailyAmount: '150.00', dailyCount: 20, monthlyAmount: '400.00' };

/** The net amounts and counts of a mandate, recomputed from records and appended facts. */
const wrongUsage = `
  WITH reserved AS (
    SELECT r.id, r.mandate_id, r.amount FROM authorization_record r
    LEFT JOIN step_up_answer a ON a.authorization_id = r.id
    WHERE r.counted_day IS NOT NULL OR a.counted_day IS NOT NULL
  ), net AS (
    SELECT v.mandate_id, sum(v.amount - coalesce(b.amount, 0)) AS amount,
      count(*) FILTER (WHERE NOT coalesce(b.count_released, false)) AS n
    FROM reserved v LEFT JOIN (
      SELECT authorization_id, sum(amount) AS amount, bool_or(count_released) AS count_released
      FROM reversal GROUP BY 1
    ) b ON b.authorization_id = v.id
    GROUP BY 1
  )
  SELECT count(*) FROM mandate_usage u FULL JOIN net USING (mandate_id)
  WHERE (coalesce(u.day_amount, 0), coalesce(u.day_count, 0), coalesce(u.month_amount, 0))
    IS DISTINCT FROM (coalesce(net.amount, 0), coalesce(net.n, 0), coalesce(net.amount, 0))`;
const waiting = () => waitingForLocks(ledger.context.stores.live.pool);
const overLimit = 'SELECT count(*) FROM mandate_usage WHERE day_amount > 150 OR day_count > 20';

async function spend(on: Ledger, spender: Spender, random: Random) {
  const amount = `${1 + random(20)}.${random(10)}`;
  const challenged = random(4) === 0;
  const stepUp = asChallenge();
  const request = proposalOf(spender, { amount, limits, ...(challenged && stepUp) });
  const response = await decide(on, request);
  const which = { tenant: spender, authorizationId: request.authorizationId };
  const other = replicas[random(2)] ?? on;
  const follow: Array<() => Promise<unknown>> = [
    () => other.handlers.Reverse({ ...which, requestedBy: 'prn_test' }, call),
    () => other.handlers.Reverse({ ...which, amount: '0.50', requestedBy: 'prn_test' }, call),
    () => other.handlers.ConfirmStepUp({ ...which, confirmedBy: 'prn_test' }, call),
    () => other.handlers.DenyStepUp({ ...which, deniedBy: 'prn_test' }, call),
  ];
  await Promise.all(follow.map((step) => (random(2) ? retryUnavailable(step) : null)));
  return decisionOf(response);
}

test('a proposal is recorded although one of the same key before it is refused', async (t) => {
  const spender = newSpender();
  const given = { idempotencyKey: 'key-of-two' };
  const [refused, recorded] = await Promise.allSettled(
    [{ ...given, merchantName: 'a\u0000b' }, given].map((each) =>
      ledger.handlers.Commit(proposalOf(spender, each), call),
    ),
  );
  t.match(refused, { status: 'rejected' });
  t.match(recorded, { value: { outcome: 'recorded' } });
});

test('after concurrent calls of all kinds the usage matches the records', async (t) => {
  const seed = Number(process.env.RACE_SEED ?? 20_261_121);
  const random = randomFrom(seed);
  const spenders = Array.from({ length: 5 }, () => newSpender());
  const decisions: string[] = [];
  const agent = async (index: number): Promise<void> => {
    for (let payment = 0; payment < 25; payment += 1) {
      const spender = spenders[random(5)] ?? newSpender();
      decisions.push(await spend(replicas[index % 2] ?? ledger, spender, random));
    }
  };
  await Promise.all(Array.from({ length: 10 }, (_, index) => agent(index)));
  t.equal(new Set(decisions).size, 3, 'approvals, declines and challenges took part');
  t.equal(await count(ledger, wrongUsage), 0, `seed ${seed}`);
  t.equal(await count(ledger, overLimit), 0, `seed ${seed}`);
  const open = await count(
    ledger,
    `SELECT count(*) FROM authorization_record r
     FULL JOIN pending_step_up p ON p.authorization_id = r.id
     LEFT JOIN step_up_answer a ON a.authorization_id = r.id
     WHERE (p.authorization_id IS NOT NULL)
       <> (r.decision = 'STEP_UP' AND a.authorization_id IS NULL)`,
  );
  t.equal(open, 0, 'pending challenges are those without an answer');
  const events = await count(
    ledger,
    `SELECT count(*) - (SELECT count(*) FROM authorization_record)
       - (SELECT count(*) FROM step_up_answer) - (SELECT count(*) FROM reversal)
     FROM outbox, json_array_elements(('[' || payload || ']')::json)`,
  );
  t.equal(events, 0, 'one event per fact');
});

test('two concurrent batches of a mandate are serialized', async (t) => {
  for (let round = 0; round < 5; round += 1) {
    const spender = newSpender();
    const decline = { decision: 'DECLINE', reasonCodes: ['MCC_BLOCKED'], limits: null };
    await ledger.handlers.Commit(proposalOf(spender, decline), call);
    const gate = await lockedRecords();
    const one = { limits: { dailyAmount: '10.00' } };
    const both = Promise.all(
      replicas.map((replica) =>
        retryUnavailable(() => replica.handlers.Commit(proposalOf(spender, one), call)),
      ),
    );
    await until(async () => (await waiting()) >= 2, { what: 'two batches that wait' });
    await gate.open();
    const outcomes = (await both).map(({ outcome }) => outcome).sort();
    t.same(outcomes, ['limits_differ', 'recorded'], `round ${round}`);
  }
});

test('two concurrent batches open no more challenges of an agent than it may have', async (t) => {
  const agents = [newSpender(), newSpender()] as const;
  const shared = newSpender();
  const challenge = (agent: Spender, { mandateId } = newSpender()) =>
    proposalOf({ ...agent, mandateId }, asChallenge());
  for (const agent of agents) {
    const open = () =>
      count(ledger, 'SELECT count(*) FROM pending_step_up WHERE agent_id = $1', [agent.agentId]);
    while ((await open()) < 4) await ledger.handlers.Commit(challenge(agent), call);
    const gate = await lockedRecords();
    // One batch has challenges of both agents; either of them can be the first that it locks.
    const [one = ledger, other = ledger] = replicas;
    const both = Promise.all([
      ...agents.map((each) => one.handlers.Commit(challenge(each, shared), call)),
      other.handlers.Commit(challenge(agent), call),
    ]);
    await until(async () => (await waiting()) >= 2, { what: 'two batches that wait' });
    await gate.open();
    await both;
    t.equal(await open(), 5);
  }
});

test('payments that wait for a batch are counted, though no other batch starts', async (t) => {
  const queued = async (): Promise<number | undefined> => {
    const gauge = ledger.context.metrics.registry.getSingleMetric('countersign_commit_waiting');
    const { values = [] } = (await gauge?.get()) ?? {};
    return values.find(({ labels }) => labels.environment === 'live')?.value;
  };
  const spender = newSpender();
  const spendOne = () => ledger.handlers.Commit(proposalOf(spender), call);
  await spendOne();
  const gate = await lockedUsage(spender);
  const first = spendOne();
  await until(async () => (await waiting()) === 1, { what: 'a batch that waits' });
  const others = [spendOne(), spendOne()];
  await until(async () => (await queued()) === 2, { what: 'two payments in the queue' });
  await gate.open();
  await Promise.all([first, ...others]);
  t.equal(await queued(), 0);
});

/** Locks the usage of a mandate, so that whoever needs it waits until the gate opens. */
function lockedUsage({ mandateId }: Spender) {
  return gateAt('SELECT FROM mandate_usage WHERE mandate_id = $1 FOR UPDATE', [mandateId]);
}

/** Batches wait where they insert their records, after all their reads. */
function lockedRecords() {
  return gateAt('LOCK TABLE authorization_record IN SHARE ROW EXCLUSIVE MODE');
}

async function gateAt(sql: string, values: string[] = []) {
  const gate = await ledger.context.stores.live.pool.connect();
  await gate.query('BEGIN');
  await gate.query(sql, values);
  return {
    open: async () => {
      await gate.query('COMMIT');
      gate.release();
    },
  };
}

test('two concurrent confirmations of a mandate are serialized', async (t) => {
  const spender = newSpender();
  const one = { limits: { dailyAmount: '25.00' } };
  const challenge = {
    ...one,
    ...asChallenge(),
  };
  const requests = [
    proposalOf(spender, one),
    proposalOf(spender, challenge),
    proposalOf(spender, challenge),
  ];
  for (const request of requests) await ledger.handlers.Commit(request, call);
  // Both are blocked at the usage of the mandate.
  const gate = await lockedUsage(spender);
  const both = Promise.all(
    requests.slice(1).map(({ authorizationId }, index) => {
      const confirmation = { tenant: spender, authorizationId, confirmedBy: 'prn_test' };
      return (replicas[index] ?? ledger).handlers.ConfirmStepUp(confirmation, call);
    }),
  );
  await until(async () => (await waiting()) >= 2, { what: 'two that wait' });
  await gate.open();
  const outcomes = (await both).map(({ outcome }) => outcome).sort();
  t.same(outcomes, ['confirmed', 'limits_differ']);
  const { mandateId } = spender;
  const usage = await ledger.handlers.GetUsage({ mandateId }, call);
  t.has(usage, { dailyAmount: '20', dailyCount: 2 });
});

test('a confirmation waits for a fence that is being raised, and heeds it', async (t) => {
  const spender = newSpender();
  const challenge = proposalOf(spender, asChallenge());
  await ledger.handlers.Commit(challenge, call);
  const { authorizationId } = challenge;
  const seen = [{ entityId: spender.agentId, version: 1 }];
  const confirmation = { tenant: spender, authorizationId, confirmedBy: 'prn_test', seen };
  const gate = await gateAt('SELECT raise_fences(ARRAY[$1], ARRAY[2])', [spender.agentId]);
  const confirming = ledger.handlers.ConfirmStepUp(confirmation, call);
  await until(async () => (await waiting()) >= 1, { what: 'the confirmation to wait' });
  await gate.open();
  t.match(await confirming, { outcome: 'stale' });
  const { mandateId } = spender;
  t.match(await ledger.handlers.GetUsage({ mandateId }, call), { dailyCount: 0 });
});

test('two concurrent reversals of an approval release it once', async (t) => {
  const spender = newSpender();
  const approval = proposalOf(spender);
  // Another payment reserves as much: a second release would be taken from it.
  for (const request of [approval, proposalOf(spender)]) {
    await ledger.handlers.Commit(request, call);
  }
  const { authorizationId } = approval;
  const gate = await lockedUsage(spender);
  const both = Promise.all(
    replicas.map((replica) =>
      replica.handlers.Reverse({ tenant: spender, authorizationId, requestedBy: 'prn_test' }, call),
    ),
  );
  await until(async () => (await waiting()) >= 2, { what: 'two that wait' });
  await gate.open();
  const released = (await both).map(({ releasedAmount }) => releasedAmount).sort();
  t.same(released, ['0.00', '10.00']);
  const { mandateId } = spender;
  const usage = await ledger.handlers.GetUsage({ mandateId }, call);
  t.has(usage, { dailyAmount: '10', dailyCount: 1 });
});

test('a challenge that is being voided cannot be confirmed', async (t) => {
  const spender = newSpender();
  const challenge = proposalOf(spender, asChallenge());
  for (const request of [proposalOf(spender), challenge]) {
    await ledger.handlers.Commit(request, call);
  }
  const { mandateId: _mandate, limits: _limits, stepUpExpiresAt: _expiry, ...payment } = challenge;
  const given = {
    ...payment,
    decision: 'DECLINE',
    reasonCodes: ['SYSTEM_FAIL_SAFE'],
    answerTemplate: answerTemplate(challenge.authorizationId, 'DECLINE'),
    answerGiven: true,
  };
  const { authorizationId } = challenge;
  const confirmation = { tenant: spender, authorizationId, confirmedBy: 'prn_test' };
  const gate = await lockedUsage(spender);
  const voiding = ledger.handlers.Commit(given, call);
  await until(async () => (await waiting()) >= 1, { what: 'the void to wait' });
  const confirming = ledger.handlers.ConfirmStepUp(confirmation, call);
  await until(async () => (await waiting()) >= 2, { what: 'both to wait' });
  await gate.open();
  t.match(await voiding, { outcome: 'recorded' });
  t.match(await confirming, { outcome: 'already_answered' });
  const { mandateId } = spender;
  const usage = await ledger.handlers.GetUsage({ mandateId }, call);
  t.has(usage, { dailyAmount: '10', dailyCount: 1 }, 'what was voided reserves nothing');
});

test('a challenge that is being taken away is denied by nobody', async (t) => {
  for (const denier of ['a human', 'a revocation']) {
    const tenant = newSpender();
    const challenge = proposalOf(tenant, asChallenge());
    await ledger.handlers.Commit(challenge, call);
    const { authorizationId } = challenge;
    const denial = { tenant, authorizationId, deniedBy: 'prn_test' };
    const revocation = { entities: [], revokedAgentIds: [tenant.agentId] };
    // As a void does it, which leaves no answer that a second one would collide with.
    const gate = await gateAt('DELETE FROM pending_step_up WHERE authorization_id = $1', [
      authorizationId,
    ]);
    const denying =
      denier === 'a human'
        ? ledger.handlers.DenyStepUp(denial, call)
        : ledger.handlers.Fence(revocation, call);
    await until(async () => (await waiting()) >= 1, { what: 'the denial to wait' });
    await gate.open();
    t.match(await denying, denier === 'a human' ? { outcome: 'already_answered' } : {});
    const answers = 'SELECT count(*) FROM step_up_answer WHERE authorization_id = $1';
    t.equal(await count(ledger, answers, [authorizationId]), 0, denier);
  }
});

test('broken connections neither lose nor duplicate records', async (t) => {
  const { pool } = ledger.context.stores.live;
  const breakAll = `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()`;
  const spender = newSpender();
  const plenty = { limits: { dailyAmount: '100000.00' } };
  const payments = 300;
  const answers = new Map<string, string>();
  const agent = async (first: number): Promise<void> => {
    for (let index = first; index < payments; index += 12) {
      const request = proposalOf(spender, { ...plenty, idempotencyKey: `key-${index}` });
      const on = replicas[index % 2] ?? ledger;
      const send = () => on.handlers.Commit(request, callOf(on));
      const response = await retryUnavailable(send, ['unavailable', 'deadline']);
      const { answer = '' } = whole(request, response);
      answers.set(request.authorizationId, answer);
    }
  };
  const paying = Promise.all(Array.from({ length: 12 }, (_, index) => agent(index)));
  for (let answered = 20; answered < payments; answered += 40) {
    await until(() => answers.size >= answered, { timeoutMs: 30_000, what: 'payments to go on' });
    // It may terminate the connection of another such statement, or its own.
    await pool.query(breakAll).catch(() => null);
  }
  await paying;
  const { rows } = await pool.query<{ id: string; answer: string }>(
    'SELECT id, answer FROM authorization_record WHERE mandate_id = $1',
    [spender.mandateId],
  );
  t.equal(rows.length, payments);
  t.ok(rows.every(({ id, answer }) => answers.get(id) === answer));
  const usage = await ledger.handlers.GetUsage({ mandateId: spender.mandateId }, call);
  t.match(usage, { dailyCount: payments, dailyAmount: `${payments}0` });
  t.equal(await count(ledger, wrongUsage), 0);
});
