import type { BusEvent, TrustChange } from '@countersign/kernel/event';
import { newId } from '@countersign/kernel/id';
import { sweepEvents } from '@countersign/runtime/retention';
import { until } from '@countersign/runtime/testing';
import root, { test } from 'tap';
import { trustConsumer } from '../trust.js';
import { type Household, makeHousehold } from './fixtures.js';
import { startIdentity } from './harness.js';

const { call, context, ledger, healthPort } = await startIdentity(root);

function trustEvent(
  { clientId, principalId, agentId }: Household,
  data: Partial<TrustChange>,
  occurredAt = new Date().toISOString(),
): BusEvent<'trust.changed'> {
  return {
    id: newId('event'),
    type: 'trust.changed',
    environment: 'sandbox',
    clientId,
    principalId,
    requestId: null,
    occurredAt,
    data: {
      agentId,
      authorizationId: null,
      previousTrustLevel: 'REGISTERED',
      newTrustLevel: 'REGISTERED',
      promoted: false,
      kyaScore: null,
      ...data,
    },
  };
}

const publish = (event: BusEvent) => context.bus.publish(event, JSON.stringify(event));
const agentOf = ({ clientId, principalId, agentId }: Household) =>
  call.GetAgent({ tenant: { clientId, principalId }, id: agentId });

const promotion = { previousTrustLevel: 'REGISTERED', newTrustLevel: 'VERIFIED', promoted: true };

test('a promotion reaches the agent once, as a new and fenced version', async (t) => {
  const house = await makeHousehold(call);
  const event = trustEvent(house, promotion);
  await publish(event);
  await until(async () => (await agentOf(house)).trustLevel === 'VERIFIED', { what: 'the level' });
  t.match(await agentOf(house), { trustLevel: 'VERIFIED', version: 2 });
  await until(() => ledger.versionOf(house.agentId) === 2, { what: 'the fence' });

  // The bus forgets what it sent: a message with another id on the wire but the same event in it.
  await context.bus.publish({ ...event, id: newId('event') }, JSON.stringify(event));
  const repeated = trustEvent(house, {}, soon(1_000));
  await publish(repeated);
  await taken(repeated);
  t.match(
    await agentOf(house),
    { trustLevel: 'VERIFIED', version: 2 },
    'the level that its teller had seen is no demotion',
  );
});

test("a level that is told of another Client's agent is not taken", async (t) => {
  const [house, other] = [await makeHousehold(call), await makeHousehold(call)];
  const event = trustEvent({ ...house, clientId: other.clientId }, promotion);
  await publish(event);
  await taken(event);
  t.match(await agentOf(house), { trustLevel: 'REGISTERED', version: 1 });
});

const soon = (ms: number) => new Date(Date.now() + ms).toISOString();
const taken = (event: BusEvent) =>
  until(
    async () => {
      const { pool } = context.stores.sandbox;
      const { rowCount } = await pool.query('SELECT 1 FROM inbox WHERE event_id = $1', [event.id]);
      return rowCount === 1;
    },
    { what: 'the event to be taken' },
  );

test('events that overtake each other: the latest level holds', async (t) => {
  const house = await makeHousehold(call);
  const demotion = trustEvent(
    house,
    { previousTrustLevel: 'TRUSTED', newTrustLevel: 'REGISTERED' },
    soon(4_000),
  );
  const promoted = trustEvent(house, promotion, soon(3_000));
  const again = trustEvent(house, promotion, soon(3_500));
  for (const event of [promoted, demotion, again]) {
    await publish(event);
    await taken(event);
  }
  t.match(await agentOf(house), { trustLevel: 'REGISTERED', version: 3 });
});

test('replicas that are given the same steps at once apply each of them once', async (t) => {
  const levels = ['REGISTERED', 'VERIFIED', 'TRUSTED', 'REGISTERED'] as const;
  const stepsOf = (house: Household) =>
    levels.slice(1).map((newTrustLevel, i) => {
      const previousTrustLevel = levels[i] ?? 'REGISTERED';
      const promoted = newTrustLevel !== 'REGISTERED';
      return trustEvent(house, { previousTrustLevel, newTrustLevel, promoted }, soon(i + 1));
    });
  const [one, other] = [trustConsumer(context, 'sandbox'), trustConsumer(context, 'sandbox')];
  const house = await makeHousehold(call);
  const steps = stepsOf(house);
  await Promise.all(steps.flatMap((event) => [one(event), other(event)]));
  t.match(await agentOf(house), { trustLevel: 'REGISTERED', version: 4 });
  await until(() => ledger.versionOf(house.agentId) === 4, { what: 'the fence' });
  const { rows } = await context.stores.sandbox.pool.query(
    `SELECT count(*)::int AS n FROM outbox WHERE type = 'identity.changed'
       AND payload::jsonb -> 'data' ->> 'entityId' = $1`,
    [house.agentId],
  );
  t.equal(rows[0]?.n, 3, 'and is announced once');
  const backwards = await makeHousehold(call);
  for (const event of stepsOf(backwards).reverse()) await one(event);
  t.match(
    await agentOf(backwards),
    { trustLevel: 'REGISTERED' },
    'a fall is not undone by the promotions it takes back',
  );
});

test('a bad event holds up none of those beside it', async () => {
  const houses = [await makeHousehold(call), await makeHousehold(call)] as const;
  const bad = trustEvent(houses[0], { newTrustLevel: 'SAINT' });
  await Promise.all([bad, ...houses.map((house) => trustEvent(house, promotion))].map(publish));
  for (const house of houses) {
    await until(async () => (await agentOf(house)).trustLevel === 'VERIFIED', {
      what: 'the level',
    });
  }
});

test('an event about no agent of ours is taken and forgotten', async (t) => {
  const house = await makeHousehold(call);
  const lost = trustEvent({ ...house, agentId: newId('agent') }, promotion);
  await publish(lost);
  await publish(trustEvent(house, promotion));
  await until(async () => (await agentOf(house)).trustLevel === 'VERIFIED', {
    what: 'the next one',
  });
  t.match(await agentOf(house), { trustLevel: 'VERIFIED', version: 2 });
});

test('events are forgotten when nobody can need them, and not before', async (t) => {
  const { pool } = context.stores.live;
  await pool.query(
    `INSERT INTO inbox SELECT 'evt_in_' || d, now() - d * interval '1 day'
     FROM generate_series(14, 16) d`,
  );
  await pool.query(
    `INSERT INTO outbox (event_id, type, payload, published_at)
     SELECT 'evt_out_' || d, 'identity.changed', '{}', now() - d * interval '1 day'
     FROM generate_series(6, 8) d`,
  );
  t.equal(await sweepEvents(pool), 4);
  const { rows } = await pool.query(
    `SELECT event_id FROM inbox WHERE event_id LIKE 'evt_in%'
     UNION SELECT event_id FROM outbox WHERE event_id LIKE 'evt_out%'`,
  );
  t.same(rows.map((row) => row.event_id).sort(), ['evt_in_14', 'evt_out_6']);
});

test('the process says that it lives, is ready, and what it has done', async (t) => {
  const get = (path: string) => fetch(`http://127.0.0.1:${healthPort}${path}`);
  t.equal((await get('/livez')).status, 200);
  t.same(await (await get('/readyz')).json(), {
    status: 'ok',
    checks: { database_live: 'ok', database_sandbox: 'ok' },
  });
  t.match(await (await get('/metrics')).text(), /countersign_fences_pending_sandbox/);
});
