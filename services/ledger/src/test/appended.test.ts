import { newId } from '@countersign/kernel/id';
import type { ReverseResponse } from '@countersign/proto/ledger';
import { closeStore } from '@countersign/runtime/database/stores';
import { t as file, test } from 'tap';
import { findEntry } from '../authorization.js';
import { openStore } from '../db.js';
import {
  callOf,
  count,
  createWorld,
  faultOf,
  newSpender,
  proposalOf,
  type Spender,
} from './fixture.js';

const world = await createWorld(file);
let now = Date.now();
const ledger = await world.start({ clock: () => now });
const { handlers } = ledger;
const call = callOf(ledger);

async function approve(spender: Spender, given = {}): Promise<string> {
  const request = proposalOf(spender, { decidedAt: new Date(now).toISOString(), ...given });
  const { outcome } = await handlers.Commit(request, call);
  if (outcome !== 'recorded') throw new Error(outcome);
  return request.authorizationId;
}

function stepUp(spender: Spender, given = {}): Promise<string> {
  return approve(spender, {
    decision: 'STEP_UP',
    reasonCodes: ['AMOUNT_STEP_UP'],
    stepUpExpiresAt: new Date(now + 300_000).toISOString(),
    ...given,
  });
}

function usageOf({ mandateId }: Spender) {
  return handlers.GetUsage({ mandateId }, call);
}

function reversal(spender: Spender, authorizationId: string, given = {}): Promise<ReverseResponse> {
  const request = { tenant: spender, authorizationId, requestedBy: 'prn_test', ...given };
  return handlers.Reverse(request, call);
}

function entryOf(tenant: Spender, authorizationId: string) {
  return handlers.GetAuthorization({ tenant, authorizationId }, call);
}

test('a full reversal releases amount and count once', async (t) => {
  const spender = newSpender();
  const id = await approve(spender);
  const responses = await Promise.all(Array.from({ length: 10 }, () => reversal(spender, id)));
  const first = responses.filter(({ alreadyReversed }) => !alreadyReversed);
  t.equal(first.length, 1, 'of ten concurrent reversals one takes effect');
  t.has(first[0], {
    reversed: true,
    releasedAmount: '10.00',
    partial: false,
    decision: 'APPROVE',
  });
  const again = responses.find(({ alreadyReversed }) => alreadyReversed);
  t.has(again, { reversed: true, releasedAmount: '0.00', partial: false });
  t.has(await usageOf(spender), { dailyAmount: '0', dailyCount: 0, monthlyCount: 0 });
  t.has(await entryOf(spender, id), { decision: 'APPROVE', reversedAmount: '10.00' });
});

test('concurrent partial reversals release at most the amount, and not the count', async (t) => {
  const spender = newSpender();
  const id = await approve(spender, { idempotencyKey: 'key-partials' });
  const results = await Promise.all(
    Array.from({ length: 6 }, () =>
      reversal(spender, id, { amount: '3.00' }).then(
        ({ releasedAmount }) => releasedAmount,
        (fault) => fault.errors?.[0]?.type,
      ),
    ),
  );
  t.same(results.sort(), ['3.00', '3.00', '3.00', ...Array(3).fill('exceeds_authorized')]);
  t.has(await usageOf(spender), { dailyAmount: '1', dailyCount: 1 });
  const tenant = spender;
  const rest = await handlers.Reverse(
    { tenant, originalIdempotencyKey: 'key-partials', requestedBy: 'prn_test' },
    call,
  );
  t.has(rest, { authorizationId: id, releasedAmount: '1.00', partial: false });
  t.has(await usageOf(spender), { dailyAmount: '0', dailyCount: 0 });
  t.match(await reversal(spender, id, { amount: '1.00' }), { alreadyReversed: true });
});

test('what is released is told in the decimals of the currency', async (t) => {
  const spender = newSpender();
  const id = await approve(spender, { amount: '10' });
  t.has(await reversal(spender, id, { amount: '4' }), { releasedAmount: '4.00' });
  t.match(await faultOf(reversal(spender, id, { amount: '7' })), { message: /At most 6\.00 USD/ });
  t.has(await reversal(spender, id), { releasedAmount: '6.00' });
  const { rows } = await ledger.context.stores.live.pool.query<{ amount: string }>(
    `SELECT event -> 'data' ->> 'amount' AS amount
     FROM outbox, json_array_elements(('[' || payload || ']')::json) event
     WHERE event -> 'data' ->> 'amendment' = 'REVERSED'
       AND event -> 'data' ->> 'authorizationId' = $1 ORDER BY seq`,
    [id],
  );
  t.same(rows, [{ amount: '4.00' }, { amount: '6.00' }]);
});

test('a partial reversal is idempotent by its id', async (t) => {
  const spender = newSpender();
  const id = await approve(spender);
  const same = { amount: '4.00', reversalId: newId('event') };
  const first = await reversal(spender, id, same);
  t.same(await reversal(spender, id, same), first);
  t.has(await usageOf(spender), { dailyAmount: '6', dailyCount: 1 });
});

test('a full reversal after partial ones of the whole amount releases one count', async (t) => {
  const spender = newSpender();
  const id = await approve(spender);
  await approve(spender);
  await reversal(spender, id, { amount: '10.00' });
  t.has(await usageOf(spender), { dailyAmount: '10', dailyCount: 2 });
  for (let times = 1; times <= 2; times += 1) {
    t.has(await reversal(spender, id), { alreadyReversed: true, releasedAmount: '0.00' });
    t.has(await usageOf(spender), { dailyAmount: '10', dailyCount: 1 }, `${times}`);
  }
  const rows = 'SELECT count(*) FROM reversal WHERE authorization_id = $1';
  t.equal(await count(ledger, rows, [id]), 2, 'one for the amount and one for the count');
});

test('a reversal of the count alone is idempotent by its id, and tells nobody', async (t) => {
  const spender = newSpender();
  const id = await approve(spender);
  await reversal(spender, id, { amount: '10.00' });
  const same = { reversalId: newId('event') };
  const first = await reversal(spender, id, same);
  t.has(first, { reversed: true, alreadyReversed: true, releasedAmount: '0.00', partial: false });
  t.same(await reversal(spender, id, same), first);
  t.match(await usageOf(spender), { dailyCount: 0 });
  const ofIt = `SELECT count(*) FROM outbox WHERE payload LIKE '%REVERSED%' AND payload LIKE $1`;
  t.equal(await count(ledger, ofIt, [`%${id}%`]), 1, 'the event of the amount');
});

test('a reversal releases only the day in which the amount was reserved', async (t) => {
  const start = now;
  now = Date.parse('2027-05-10T12:00:00.000Z');
  const spender = newSpender();
  const id = await approve(spender);
  now = Date.parse('2027-05-11T12:00:00.000Z');
  await approve(spender);
  await reversal(spender, id);
  t.has(await usageOf(spender), { dailyAmount: '10', dailyCount: 1, monthlyAmount: '10' });
  now = Date.parse('2027-06-01T12:00:00.000Z');
  const juneId = await approve(spender);
  const mayId = await approve(spender);
  await reversal(spender, juneId, { amount: '2.50' });
  t.has(await usageOf(spender), { dailyAmount: '17.5', monthlyAmount: '17.5', monthlyCount: 2 });
  t.ok(mayId);
  now = start;
});

test('a reversal in a later month releases nothing of that month', async (t) => {
  const start = now;
  const spender = newSpender();
  now = Date.parse('2027-05-31T12:00:00.000Z');
  const [partly, wholly, challenged] = [
    await approve(spender),
    await approve(spender),
    await stepUp(spender, { stepUpExpiresAt: '2027-07-01T00:00:00.000Z' }),
  ];
  await handlers.ConfirmStepUp({ tenant: spender, authorizationId: challenged }, call);
  now = Date.parse('2027-06-01T12:00:00.000Z');
  await approve(spender, { amount: '30.00' });
  const june = { dailyAmount: '30', dailyCount: 1, monthlyAmount: '30', monthlyCount: 1 };
  t.has(await reversal(spender, partly, { amount: '4.00' }), { releasedAmount: '4.00' });
  t.match(await usageOf(spender), june, 'in part');
  for (const id of [wholly, challenged]) {
    t.has(await reversal(spender, id), { releasedAmount: '10.00' });
    t.match(await usageOf(spender), june, 'as a whole, with the count');
  }
  now = start;
});

test('only approvals can be reversed, and amounts are validated', async (t) => {
  const spender = newSpender();
  const declined = await approve(spender, { decision: 'DECLINE', reasonCodes: ['MCC_BLOCKED'] });
  const challenged = await stepUp(spender);
  const nothing = { reversed: false, releasedAmount: '0', alreadyReversed: false };
  t.match(await reversal(spender, declined), { ...nothing, decision: 'DECLINE' });
  t.match(await reversal(spender, challenged), { ...nothing, decision: 'STEP_UP' });
  const id = await approve(spender);
  for (const amount of ['0', '-1', '1e1', '1.001', '10.01']) {
    t.equal((await faultOf(reversal(spender, id, { amount }))).kind, 'invalid', amount);
  }
});

test('a confirmed challenge is reserved, reversible and in the decision history', async (t) => {
  const spender = newSpender();
  const id = await stepUp(spender);
  t.has(
    await usageOf(spender),
    { dailyAmount: '0', dailyCount: 0 },
    'a pending challenge reserves nothing',
  );
  t.match((await entryOf(spender, id)).stepUp, { status: 'PENDING' });
  const confirming = { tenant: spender, authorizationId: id, confirmedBy: 'prn_test' };
  const attestationJson = '{"jws":"second"}';
  const responses = await Promise.all(
    Array.from({ length: 8 }, () =>
      handlers.ConfirmStepUp({ ...confirming, attestationJson }, call),
    ),
  );
  t.equal(responses.filter(({ outcome }) => outcome === 'confirmed').length, 1);
  t.equal(responses.filter(({ outcome }) => outcome === 'already_answered').length, 7);
  t.has(await usageOf(spender), { dailyAmount: '10', dailyCount: 1 });
  t.match(await entryOf(spender, id), {
    decision: 'APPROVE',
    reasonCodes: ['STEP_UP_CONFIRMED'],
    decisionHistory: [
      { decision: 'STEP_UP', by: 'system', reasonCodes: ['AMOUNT_STEP_UP'] },
      { decision: 'APPROVE', by: 'prn_test', reasonCodes: ['STEP_UP_CONFIRMED'] },
    ],
    stepUp: { status: 'CONFIRMED', resolvedBy: 'prn_test' },
    attestationJson,
  });
  t.has(await reversal(spender, id), { reversed: true, releasedAmount: '10.00' });
  t.has(await usageOf(spender), { dailyAmount: '0', dailyCount: 0 });
});

test('a confirmation that limits or fences reject leaves the challenge pending', async (t) => {
  const spender = newSpender();
  const limits = { dailyAmount: '15.00' };
  const id = await stepUp(spender, { limits });
  const confirming = { tenant: spender, authorizationId: id, confirmedBy: 'prn_test' };
  const spent = await approve(spender, { limits });
  t.match(await handlers.ConfirmStepUp(confirming, call), {
    outcome: 'limits_differ',
    limitCodes: ['DAILY_AMOUNT_EXCEEDED'],
  });
  await reversal(spender, spent);
  await handlers.Fence({ entities: [{ entityId: spender.agentId, version: 4 }] }, call);
  const seen = [{ entityId: spender.agentId, version: 3 }];
  t.match(await handlers.ConfirmStepUp({ ...confirming, seen }, call), { outcome: 'stale' });
  t.match((await entryOf(spender, id)).stepUp, { status: 'PENDING' });
  now += 300_000;
  t.match((await entryOf(spender, id)).stepUp, { status: 'EXPIRED' });
  t.match(await handlers.ConfirmStepUp(confirming, call), { outcome: 'expired' });
  const denying = { tenant: spender, authorizationId: id, deniedBy: 'prn_test' };
  t.match(await handlers.DenyStepUp(denying, call), { outcome: 'expired' });
  t.match(await entryOf(spender, id), { decision: 'STEP_UP' });
  now -= 300_000;
});

test('a confirmation that has seen what a fence is about is not stale', async (t) => {
  const spender = newSpender();
  const id = await stepUp(spender);
  const entity = { entityId: spender.agentId, version: 4 };
  await handlers.Fence({ entities: [entity] }, call);
  const confirming = { tenant: spender, authorizationId: id, confirmedBy: 'prn_test' };
  const confirmed = await handlers.ConfirmStepUp({ ...confirming, seen: [entity] }, call);
  t.equal(confirmed.outcome, 'confirmed');
});

test('a confirmation by a clock that is behind is counted in the current window', async (t) => {
  const start = now;
  now = Date.parse('2027-07-31T23:59:59.000Z');
  const spender = newSpender();
  const id = await stepUp(spender);
  now = Date.parse('2027-08-01T00:00:01.000Z');
  await approve(spender);
  now = Date.parse('2027-07-31T23:59:59.900Z');
  const confirming = { tenant: spender, authorizationId: id, confirmedBy: 'prn_test' };
  t.match(await handlers.ConfirmStepUp(confirming, call), {
    outcome: 'confirmed',
    confirmedAt: '2027-08-01T00:00:00.000Z',
  });
  t.match((await entryOf(spender, id)).stepUp, { resolvedAt: '2027-08-01T00:00:00.000Z' });
  t.has(await usageOf(spender), { day: '2027-08-01', dailyAmount: '20', monthlyCount: 2 });
  await reversal(spender, id);
  t.has(await usageOf(spender), { dailyAmount: '10', monthlyCount: 1 });
  now = start;
});

test('of a concurrent confirmation and denial one takes effect', async (t) => {
  for (let round = 0; round < 10; round += 1) {
    const spender = newSpender();
    const id = await stepUp(spender);
    const which = { tenant: spender, authorizationId: id };
    const [confirmed, denied] = await Promise.all([
      handlers.ConfirmStepUp({ ...which, confirmedBy: 'prn_a' }, call),
      handlers.DenyStepUp({ ...which, deniedBy: 'prn_b', reason: 'no' }, call),
    ]);
    t.not(confirmed.outcome === 'confirmed', denied.outcome === 'denied');
    const decision = denied.outcome === 'denied' ? 'DECLINE' : 'APPROVE';
    t.match(await entryOf(spender, id), { decision });
    t.match(await usageOf(spender), { dailyCount: decision === 'APPROVE' ? 1 : 0 });
    const again = await handlers.DenyStepUp({ ...which, deniedBy: 'prn_b' }, call);
    t.equal(again.outcome, 'already_answered');
  }
  const approved = await approve(newSpender());
  t.ok(approved);
});

test('only challenges can be confirmed or denied', async (t) => {
  const spender = newSpender();
  const which = { tenant: spender, authorizationId: await approve(spender) };
  t.match(await handlers.ConfirmStepUp(which, call), { outcome: 'not_step_up' });
  t.match(await handlers.DenyStepUp(which, call), { outcome: 'not_step_up' });
});

test("another client's authorization is not found, another principal's is forbidden", async (t) => {
  const spender = newSpender();
  const key = 'key-of-one-tenant';
  const id = await approve(spender, { idempotencyKey: key });
  const stranger = newSpender();
  const sibling = { ...stranger, clientId: spender.clientId };
  for (const tenant of [stranger, { ...stranger, principalId: spender.principalId }]) {
    t.match(await faultOf(entryOf(tenant, id)), { kind: 'not_found', code: 'NOT_FOUND' });
    t.equal((await faultOf(reversal(tenant, id))).kind, 'not_found');
  }
  for (const tenant of [stranger, { ...stranger, principalId: spender.principalId }, sibling]) {
    const byKey = { tenant, originalIdempotencyKey: key, requestedBy: 'prn_test' };
    t.equal((await faultOf(handlers.Reverse(byKey, call))).kind, 'not_found');
  }
  const ofAgent = { tenant: sibling, agentId: spender.agentId, page: { limit: 10 } };
  t.same(await handlers.ListAgentAuthorizations(ofAgent, call), { entries: [], hasMore: false });
  const which = { tenant: sibling, authorizationId: id };
  const faults = await Promise.all([
    faultOf(entryOf(sibling, id)),
    faultOf(reversal(sibling, id)),
    faultOf(handlers.ConfirmStepUp(which, call)),
    faultOf(handlers.ListOutcomes(which, call)),
  ]);
  for (const fault of faults) t.match(fault, { kind: 'forbidden', code: 'TENANT_MISMATCH' });
  t.equal((await faultOf(entryOf(spender, newId('authorization')))).kind, 'not_found');
  t.equal(
    await count(ledger, 'SELECT count(*) FROM reversal WHERE authorization_id = $1', [id]),
    0,
  );
});

test("another client's authorization takes as many statements to refuse as none", async (t) => {
  const id = await approve(newSpender());
  const { config, log } = ledger.context;
  // Connections of its own, since the service uses its pool in the background.
  const store = openStore(world.urls.live, { config, log });
  t.teardown(() => Promise.all([closeStore(store), store.commits.end()]));
  let sent = 0;
  store.pool.on('acquire', () => (sent += 1));
  const statements = async (authorizationId: string): Promise<number> => {
    sent = 0;
    await faultOf(findEntry(store, newSpender(), authorizationId));
    return sent;
  };
  t.equal(await statements(newId('authorization')), 1);
  t.equal(await statements(id), 1);
});

test('whose authorization an id names is found without a tenant', async (t) => {
  const { clientId, principalId, agentId, ...rest } = newSpender();
  const authorizationId = await approve({ clientId, principalId, agentId, ...rest });
  const owner = { authorizationId, clientId, principalId, agentId };
  t.match(await handlers.FindOwner({ authorizationId }, call), { ...owner, createdAt: String });
  const none = { authorizationId: newId('authorization') };
  t.match(await faultOf(handlers.FindOwner(none, call)), { kind: 'not_found', code: 'NOT_FOUND' });
});

test('lists are paginated by time and id, newest first, without gaps', async (t) => {
  const spender = newSpender();
  const ids: string[] = [];
  // At most as many challenges as may be pending.
  for (let index = 0; index < 10; index += 1) {
    // Some within the same millisecond, so that only the id orders them.
    if (index % 3 === 0) now += 1;
    ids.push(await (index % 2 ? stepUp(spender) : approve(spender)));
  }
  await approve(newSpender({ principalId: spender.principalId }));
  const lists = [
    { list: handlers.ListAgentAuthorizations, expected: ids },
    { list: handlers.ListPendingStepUps, expected: ids.filter((_, index) => index % 2) },
  ];
  for (const { list, expected } of lists) {
    const found: string[] = [];
    let after: { createdAt: string; id: string } | undefined;
    for (let more = true; more; ) {
      const page = { limit: 4, ...(after && { after }) };
      const request = { tenant: spender, agentId: spender.agentId, page };
      const { entries, hasMore } = await list(request, call);
      t.ok(entries.every(({ factsJson, answer }) => factsJson === '' && answer === ''));
      found.push(...entries.map(({ id }) => id));
      after = entries.at(-1);
      more = hasMore;
    }
    t.same(found, [...expected].reverse());
  }
});
