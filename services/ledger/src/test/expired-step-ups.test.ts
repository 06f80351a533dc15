import type { AmendedAuthorization, BusEvent } from '@countersign/kernel/event';
import { t as file, test } from 'tap';
import { publishExpiredStepUps } from '../expired-step-ups.js';
import { callOf, createWorld, newSpender, proposalOf, type Spender } from './fixture.js';

const world = await createWorld(file);
const now = Date.now();
const ledger = await world.start();
const { handlers, context } = ledger;
const { pool } = context.stores.live;
const call = callOf(ledger);
const parts = { environment: 'live', pool } as const;
const answerableMs = 300_000;

async function challenge(spender: Spender, given: Parameters<typeof proposalOf>[1] = {}) {
  const proposal = proposalOf(spender, {
    decision: 'STEP_UP',
    reasonCodes: ['AMOUNT_STEP_UP'],
    decidedAt: new Date(now).toISOString(),
    stepUpExpiresAt: new Date(now + answerableMs).toISOString(),
    ...given,
  });
  await handlers.Commit(proposal, call);
  return { tenant: spender, authorizationId: proposal.authorizationId };
}

/** Lets all pending challenges expire by the clock of the database. */
async function expireAll(): Promise<void> {
  await pool.query(
    `UPDATE pending_step_up SET expires_at = now() - interval '1 ms' WHERE expiry_told_at IS NULL`,
  );
}

async function expiryEventsOf(
  authorizationId: string,
): Promise<Array<BusEvent<'authorization.amended'>>> {
  const { rows } = await pool.query<{ payload: string }>(
    `SELECT payload FROM outbox WHERE type = 'authorization.amended' ORDER BY seq`,
  );
  const events = rows.map(({ payload }) => JSON.parse(payload));
  return events.filter(({ data }) => data.authorizationId === authorizationId);
}

test('the expiry of an unanswered challenge is published once', async (t) => {
  const spender = newSpender();
  const which = await challenge(spender, { amount: '12.50' });
  const expiresAt = new Date(now + answerableMs).toISOString();
  t.equal(await publishExpiredStepUps(parts), 0, 'not before it expires');
  await expireAll();
  t.equal(await publishExpiredStepUps(parts), 1);
  t.equal(await publishExpiredStepUps(parts), 0);
  const events = await expiryEventsOf(which.authorizationId);
  const data: AmendedAuthorization = {
    authorizationId: which.authorizationId,
    agentId: spender.agentId,
    amendment: 'STEP_UP_EXPIRED',
    decision: 'STEP_UP',
    amount: '12.50',
    currency: 'USD',
  };
  t.match(events, [
    { environment: 'live', occurredAt: expiresAt, clientId: spender.clientId, data },
  ]);
  t.equal(events.length, 1);
  const { entries } = await handlers.ListPendingStepUps(
    { tenant: spender, page: { limit: 10 } },
    call,
  );
  t.equal(entries.length, 1, 'it remains in the list');
});

test('the expiry of an answered challenge is not published', async (t) => {
  const spender = newSpender();
  const confirmed = await challenge(spender);
  const denied = await challenge(spender);
  await handlers.ConfirmStepUp({ ...confirmed, confirmedBy: 'prn_test' }, call);
  await handlers.DenyStepUp({ ...denied, deniedBy: 'prn_test' }, call);
  await expireAll();
  t.equal(await publishExpiredStepUps(parts), 0);
});

test('a challenge whose expiry was published cannot be answered, despite clock skew', async (t) => {
  const slow = await world.start({ clock: () => Date.now() - 60_000 });
  const spender = newSpender();
  const which = await challenge(spender);
  await expireAll();
  t.equal(await publishExpiredStepUps(parts), 1);
  const late = callOf(slow);
  const confirmation = { ...which, confirmedBy: 'prn_test' };
  t.match(await slow.handlers.ConfirmStepUp(confirmation, late), { outcome: 'expired' });
  const denial = { ...which, deniedBy: 'prn_test' };
  t.match(await slow.handlers.DenyStepUp(denial, late), { outcome: 'expired' });
  const { agentId } = spender;
  const revoked = { entities: [{ entityId: agentId, version: 2 }], revokedAgentIds: [agentId] };
  await slow.handlers.Fence(revoked, late);
  t.match(await expiryEventsOf(which.authorizationId), [
    { data: { amendment: 'STEP_UP_EXPIRED' } },
  ]);
});

test('nothing is begun once the process ends', async (t) => {
  const which = await challenge(newSpender());
  await expireAll();
  t.equal(await publishExpiredStepUps({ ...parts, signal: AbortSignal.abort() }), 0);
  t.same(await expiryEventsOf(which.authorizationId), []);
  t.equal(await publishExpiredStepUps({ ...parts, signal: new AbortController().signal }), 1);
});

test('concurrent replicas publish each of many expiries once', async (t) => {
  const spenders = Array.from({ length: 600 }, () => newSpender());
  const which = await Promise.all(spenders.map((spender) => challenge(spender)));
  await expireAll();
  const published = await Promise.all([publishExpiredStepUps(parts), publishExpiredStepUps(parts)]);
  const rest = await publishExpiredStepUps(parts);
  t.equal(published[0] + published[1] + rest, 600);
  const { rows } = await pool.query<{ id: string }>(
    `SELECT payload::json->'data'->>'authorizationId' AS id FROM outbox
     WHERE type = 'authorization.amended' AND payload LIKE '%STEP_UP_EXPIRED%'`,
  );
  const ids = rows.map(({ id }) => id);
  t.equal(new Set(ids).size, ids.length);
  for (const { authorizationId } of which) t.ok(ids.includes(authorizationId));
});
