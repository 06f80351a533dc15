import { newId } from '@countersign/kernel/id';
import type { CommitRequest, CommitResponse } from '@countersign/proto/ledger';
import { t as file, test } from 'tap';
import {
  callOf,
  count,
  createWorld,
  type Ledger,
  newSpender,
  proposalOf,
  retryUnavailable,
  type Spender,
} from './fixture.js';

const world = await createWorld(file);
let now = Date.now();
const clock = { clock: () => now };
const replicas = [await world.start(clock), await world.start(clock)];
const [ledger = await world.start(clock), other = await world.start(clock)] = replicas;
const call = callOf(ledger);

function stepUp(spender: Spender, given: Partial<CommitRequest> = {}): CommitRequest {
  return proposalOf(spender, {
    decision: 'STEP_UP',
    reasonCodes: ['AMOUNT_STEP_UP'],
    decidedAt: new Date(now).toISOString(),
    stepUpExpiresAt: new Date(now + 300_000).toISOString(),
    ...given,
  });
}

function commit(request: CommitRequest, on: Ledger = ledger): Promise<CommitResponse> {
  return retryUnavailable(() => on.handlers.Commit(request, callOf(on)));
}

/** The same agent with a separate mandate, whose proposals may be in any lane. */
function sameAgent({ agentId, principalId, clientId }: Spender): Spender {
  return newSpender({ agentId, principalId, clientId });
}

async function isFull({ agentId, mandateId }: Spender): Promise<boolean> {
  return (await ledger.handlers.GetUsage({ agentId, mandateId }, call)).challengesFull;
}

const openOf = `SELECT count(*) FROM pending_step_up WHERE agent_id = $1`;

test('an agent may have five pending challenges, and the next is rejected', async (t) => {
  const spender = newSpender();
  const five = Array.from({ length: 5 }, () => stepUp(sameAgent(spender)));
  for (const request of five) {
    t.equal(await isFull(spender), false);
    t.equal((await commit(request)).outcome, 'recorded');
  }
  t.equal(await isFull(spender), true, 'GetUsage reports it too');
  t.equal(await isFull(newSpender()), false);
  const sixth = stepUp(spender);
  t.equal((await commit(sixth)).outcome, 'challenges_full');
  t.equal(
    (await commit(stepUp(newSpender()))).outcome,
    'recorded',
    'another agent has its own limit',
  );
  t.equal((await commit(proposalOf(spender))).outcome, 'recorded', 'an approval is not limited');
  const [first] = five;
  t.equal((await commit(first ?? sixth)).outcome, 'replayed', 'a replay is not a new challenge');

  const which = { tenant: spender, authorizationId: first?.authorizationId ?? '' };
  await ledger.handlers.DenyStepUp({ ...which, deniedBy: 'prn_test' }, call);
  t.equal((await commit(sixth)).outcome, 'recorded', 'an answered challenge no longer counts');
  t.equal((await commit(stepUp(spender))).outcome, 'challenges_full');

  now += 300_000;
  t.equal(await isFull(spender), false);
  t.equal((await commit(stepUp(spender))).outcome, 'recorded', 'expired ones do not count');
});

test('in a mixed batch only a recorded challenge becomes pending', async (t) => {
  const spender = newSpender();
  const limits = { dailyAmount: '15.00' };
  const [answered, confirmed] = [stepUp(spender, { limits }), stepUp(spender, { limits })];
  for (const request of [answered, confirmed]) await commit(request);
  const which = (request: CommitRequest) => ({
    tenant: spender,
    authorizationId: request.authorizationId,
  });
  await ledger.handlers.DenyStepUp({ ...which(answered), deniedBy: 'prn_test' }, call);
  const confirm = (request: CommitRequest) =>
    ledger.handlers.ConfirmStepUp({ ...which(request), confirmedBy: 'prn_test' }, call);
  t.equal((await confirm(confirmed)).outcome, 'confirmed');

  // Their reason names no amount, so their events are ready as they come.
  const answerTemplate = '{"decision":"STEP_UP","reason_detail":"A human must confirm."}';
  const [open, exceeding] = [
    stepUp(spender, { limits, answerTemplate, amount: '5.00' }),
    stepUp(spender, { limits, answerTemplate, amount: '5.01' }),
  ];
  const threaded = stepUp(spender, {
    limits,
    answerTemplate,
    transactionId: newId('transaction'),
    transactionGiven: true,
  });
  // Proposals of one turn for one mandate share a batch.
  const batch = await Promise.all(
    [answered, open, confirmed, exceeding, threaded].map((request) => commit(request)),
  );
  t.same(
    batch.map(({ outcome }) => outcome),
    ['replayed', 'recorded', 'replayed', 'limits_differ', 'transaction_unknown'],
  );
  const { rows } = await ledger.context.stores.live.pool.query<{ id: string }>(
    'SELECT authorization_id AS id FROM pending_step_up WHERE principal_id = $1',
    [spender.principalId],
  );
  t.same(rows, [{ id: open.authorizationId }]);
  for (const { authorizationId } of [exceeding, threaded]) {
    const told = `SELECT count(*) FROM outbox WHERE payload LIKE '%' || $1 || '%'`;
    t.equal(
      await count(ledger, told, [authorizationId]),
      0,
      'nobody is told of a refused proposal',
    );
  }
  for (const request of [answered, confirmed]) {
    t.equal((await confirm(request)).outcome, 'already_answered', 'an answer is final');
  }
});

test('concurrent proposals on several replicas do not exceed five challenges', async (t) => {
  for (let round = 0; round < 10; round += 1) {
    const agents = [newSpender(), newSpender(), newSpender()] as const;
    const outcomes = await Promise.all(
      Array.from({ length: 48 }, async (_, n) => {
        const spender = sameAgent(agents[(n % 3) as 0 | 1 | 2]);
        return (await commit(stepUp(spender), n % 2 ? ledger : other)).outcome;
      }),
    );
    t.equal(outcomes.filter((outcome) => outcome === 'recorded').length, 15, `round ${round}`);
    for (const { agentId } of agents) t.equal(await count(ledger, openOf, [agentId]), 5);
  }
});

test('revoking an agent denies its pending challenges together with the fence', async (t) => {
  const spender = newSpender();
  const open = Array.from({ length: 3 }, () => stepUp(sameAgent(spender)));
  const expired = stepUp(spender, { stepUpExpiresAt: new Date(now).toISOString() });
  const another = newSpender();
  const stranger = stepUp(another);
  for (const request of [...open, expired, stranger]) await commit(request);
  const entities = [{ entityId: spender.agentId, version: 2 }];
  const revoke = () =>
    ledger.handlers.Fence({ entities, revokedAgentIds: [spender.agentId] }, call);
  await revoke();
  await revoke();
  const entryOf = ({ authorizationId, clientId, principalId }: CommitRequest) =>
    ledger.handlers.GetAuthorization({ tenant: { clientId, principalId }, authorizationId }, call);
  for (const request of open) {
    t.match(await entryOf(request), {
      decision: 'DECLINE',
      reasonCodes: ['STEP_UP_DENIED'],
      stepUp: { status: 'DENIED', resolvedBy: 'system', reason: 'AGENT_REVOKED' },
    });
    const confirm = { tenant: spender, authorizationId: request.authorizationId };
    const response = await ledger.handlers.ConfirmStepUp({ ...confirm, confirmedBy: 'x' }, call);
    t.equal(response.outcome, 'already_answered');
  }
  t.match(await entryOf(expired), { decision: 'STEP_UP', stepUp: { status: 'EXPIRED' } });
  t.match(await entryOf(stranger), { decision: 'STEP_UP', stepUp: { status: 'PENDING' } });
  const { authorizationId } = stranger;
  const confirm = { tenant: another, authorizationId, confirmedBy: 'prn_test' };
  t.match(await ledger.handlers.ConfirmStepUp(confirm, call), { outcome: 'confirmed' });
  const { rows } = await ledger.context.stores.live.pool.query<{ payload: string }>(
    `SELECT payload FROM outbox WHERE type = 'authorization.amended'
       AND payload::json ->> 'principalId' = $1`,
    [spender.principalId],
  );
  const events = rows.map(({ payload }) => JSON.parse(payload));
  t.equal(events.length, 4 - 1, 'one for each pending challenge');
  t.equal(new Set(events.map(({ id }) => id)).size, 3, 'each with an id of its own');
  t.match(events[0], {
    id: /^evt_/,
    clientId: spender.clientId,
    environment: 'live',
    data: { agentId: spender.agentId, amendment: 'STEP_UP_DENIED', decision: 'DECLINE' },
  });
  t.match(events[0]?.data, { amount: /^10\.00$/, currency: 'USD', authorizationId: /^auth_/ });
  t.notOk('deniedBy' in (events[0]?.data ?? {}), 'not denied by a human');
});

test('the event of a denial names who denied it, the log also why', async (t) => {
  const spender = newSpender();
  const challenge = stepUp(spender);
  await commit(challenge);
  const which = { tenant: spender, authorizationId: challenge.authorizationId ?? '' };
  await ledger.handlers.DenyStepUp({ ...which, deniedBy: 'prn_test', reason: 'not mine' }, call);
  const { rows } = await ledger.context.stores.live.pool.query<{ payload: string }>(
    `SELECT payload FROM outbox WHERE type = 'authorization.amended'
       AND payload::json ->> 'principalId' = $1`,
    [spender.principalId],
  );
  t.match(
    rows.map(({ payload }) => JSON.parse(payload).data),
    [{ amendment: 'STEP_UP_DENIED', deniedBy: 'prn_test' }],
  );
  const { stepUp: answered } = await ledger.handlers.GetAuthorization(which, call);
  t.match(answered, { status: 'DENIED', resolvedBy: 'prn_test', reason: 'not mine' });
});

test('no challenge of an agent is pending once its revocation has returned', async (t) => {
  for (let round = 0; round < 8; round += 1) {
    const spender = newSpender();
    const seen = [{ entityId: spender.agentId, version: 1 }];
    let ended = false;
    const ask = async (on: Ledger): Promise<void> => {
      while (!ended) {
        const request = stepUp(sameAgent(spender), { seen });
        await commit(request, on);
        const which = { tenant: spender, authorizationId: request.authorizationId };
        const confirmation = { ...which, seen, confirmedBy: 'prn_test' };
        // Rejected after the fence; the assertions below check what was recorded.
        await retryUnavailable(() => on.handlers.ConfirmStepUp(confirmation, callOf(on))).catch(
          () => {},
        );
      }
    };
    const asking = Promise.all(replicas.flatMap((on) => [ask(on), ask(on), ask(on)]));
    const entities = [{ entityId: spender.agentId, version: 2 }];
    await other.handlers.Fence({ entities, revokedAgentIds: [spender.agentId] }, callOf(other));
    const { length } = await confirmed(spender);
    t.equal(await count(ledger, openOf, [spender.agentId]), 0, `round ${round}`);
    ended = true;
    await asking;
    t.equal(await count(ledger, openOf, [spender.agentId]), 0, 'and none later');
    t.equal((await confirmed(spender)).length, length, 'none is confirmed');
  }
});

async function confirmed({ agentId }: Spender): Promise<unknown[]> {
  const { rows } = await ledger.context.stores.live.pool.query(
    `SELECT FROM step_up_answer a JOIN authorization_record r ON r.id = a.authorization_id
     WHERE r.agent_id = $1 AND a.status = 'CONFIRMED'`,
    [agentId],
  );
  return rows;
}

test('all challenges are denied, even if there are more than one statement denies', async (t) => {
  const spender = newSpender();
  const requests = Array.from({ length: 40 }, () => stepUp(spender, { agentId: newId('agent') }));
  await Promise.all(requests.map((request) => commit(request)));
  const revokedAgentIds = requests.map(({ agentId }) => agentId ?? '');
  await ledger.handlers.Fence({ entities: [], revokedAgentIds }, call);
  const open = `SELECT count(*) FROM pending_step_up WHERE principal_id = $1`;
  t.equal(await count(ledger, open, [spender.principalId]), 0);
});

test('an unanswered challenge is listed for a week after it has expired', async (t) => {
  const spender = newSpender();
  const challenge = stepUp(spender, { stepUpExpiresAt: new Date(now + 86_400_000).toISOString() });
  await commit(challenge);
  const listed = async (): Promise<string[]> => {
    const page = { limit: 10 };
    const { entries } = await ledger.handlers.ListPendingStepUps({ tenant: spender, page }, call);
    return entries.map(({ id }) => id);
  };
  const before = now;
  t.teardown(() => {
    now = before;
  });
  now += 8 * 86_400_000 - 1;
  t.same(await listed(), [challenge.authorizationId]);
  now += 1;
  t.same(await listed(), []);
});
