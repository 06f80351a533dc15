import type { BusEvent, TrustChange } from '@countersign/kernel/event';
import { newId } from '@countersign/kernel/id';
import { eventSweeps, sweep } from '@countersign/runtime/retention';
import { until } from '@countersign/runtime/testing';
import { waitingForLocks } from '@countersign/runtime/testing/locks';
import { publishOne } from '@countersign/runtime/testing/publish-one';
import root, { test } from 'tap';
import { trustConsumer } from '../trust.js';
import { type AgentFixture, createAgentFixture } from './fixtures.js';
import { refusalOf, startIdentity } from './harness.js';

const { call, context, ledger, healthPort } = await startIdentity(root);

function trustEvent(
  { clientId, principalId, agentId }: AgentFixture,
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

const publish = (event: BusEvent) => publishOne(context.bus, event);
const agentOf = ({ clientId, principalId, agentId }: AgentFixture) =>
  call.GetAgent({ tenant: { clientId, principalId }, id: agentId });

const promotion = { previousTrustLevel: 'REGISTERED', newTrustLevel: 'VERIFIED', promoted: true };

test('a promotion is applied once, as a new version with a fence', async (t) => {
  const fixture = await createAgentFixture(call);
  const event = trustEvent(fixture, promotion);
  await publish(event);
  await until(async () => (await agentOf(fixture)).trustLevel === 'VERIFIED', {
    what: 'the level',
  });
  t.match(await agentOf(fixture), { trustLevel: 'VERIFIED', version: 2 });
  await until(() => ledger.versionOf(fixture.agentId) === 2, { what: 'the fence' });

  // A redelivery that the bus cannot recognize: another message id with the same event.
  await publishOne(context.bus, event, newId('event'));
  const repeated = trustEvent(fixture, {}, soon(1_000));
  await publish(repeated);
  await processed(repeated);
  t.match(
    await agentOf(fixture),
    { trustLevel: 'VERIFIED', version: 2 },
    'an event without a change of level is no demotion',
  );
});

test("an event that names another Client's agent is ignored", async (t) => {
  const [fixture, other] = [await createAgentFixture(call), await createAgentFixture(call)];
  const event = trustEvent({ ...fixture, clientId: other.clientId }, promotion);
  await publish(event);
  await processed(event);
  t.match(await agentOf(fixture), { trustLevel: 'REGISTERED', version: 1 });
});

const soon = (ms: number) => new Date(Date.now() + ms).toISOString();
const processed = (event: BusEvent) =>
  until(
    async () => {
      const { pool } = context.stores.sandbox;
      const { rowCount } = await pool.query('SELECT 1 FROM inbox WHERE event_id = $1', [event.id]);
      return rowCount === 1;
    },
    { what: 'the event to be processed' },
  );

test('of events that arrive out of order, the latest level wins', async (t) => {
  const fixture = await createAgentFixture(call);
  const demotion = trustEvent(
    fixture,
    { previousTrustLevel: 'TRUSTED', newTrustLevel: 'REGISTERED' },
    soon(4_000),
  );
  const promoted = trustEvent(fixture, promotion, soon(3_000));
  const again = trustEvent(fixture, promotion, soon(3_500));
  const repeated = trustEvent(fixture, demotion.data, soon(5_000));
  for (const event of [promoted, demotion, again, repeated]) {
    await publish(event);
    await processed(event);
  }
  const reached = { trustLevel: 'REGISTERED', version: 3 };
  t.match(await agentOf(fixture), reached, 'and a level that is reached already is no change');
  const { pool } = context.stores.sandbox;
  const read = 'SELECT updated_at FROM agents WHERE id = $1';
  const updatedAt = (await pool.query(read, [fixture.agentId])).rows[0].updated_at;
  t.equal(updatedAt.toISOString(), demotion.occurredAt);
});

test('replicas that receive the same events concurrently apply each once', async (t) => {
  const levels = ['REGISTERED', 'VERIFIED', 'TRUSTED', 'REGISTERED'] as const;
  const stepsOf = (fixture: AgentFixture) =>
    levels.slice(1).map((newTrustLevel, i) => {
      const previousTrustLevel = levels[i] ?? 'REGISTERED';
      const promoted = newTrustLevel !== 'REGISTERED';
      return trustEvent(fixture, { previousTrustLevel, newTrustLevel, promoted }, soon(i + 1));
    });
  const [one, other] = [trustConsumer(context, 'sandbox'), trustConsumer(context, 'sandbox')];
  const fixture = await createAgentFixture(call);
  const steps = stepsOf(fixture);
  await Promise.all(steps.flatMap((event) => [one(event), other(event)]));
  t.match(await agentOf(fixture), { trustLevel: 'REGISTERED', version: 4 });
  await until(() => ledger.versionOf(fixture.agentId) === 4, { what: 'the fence' });
  const { rows } = await context.stores.sandbox.pool.query(
    `SELECT count(*)::int AS n FROM outbox WHERE type = 'identity.changed'
       AND payload::jsonb -> 'data' ->> 'entityId' = $1`,
    [fixture.agentId],
  );
  t.equal(rows[0]?.n, 3, 'each change is published once');
  const backwards = await createAgentFixture(call);
  for (const event of stepsOf(backwards).reverse()) await one(event);
  t.match(
    await agentOf(backwards),
    { trustLevel: 'REGISTERED' },
    'a demotion is not undone by older promotions',
  );
});

test('the agents of a group of events are locked in the order of their ids', async (t) => {
  const fixtures = [await createAgentFixture(call), await createAgentFixture(call)];
  const [first, last] = fixtures.map(({ agentId }) => agentId).sort();
  const { pool } = context.stores.sandbox;
  const lock = 'SELECT 1 FROM agents WHERE id = $1 FOR NO KEY UPDATE';
  const other = await pool.connect();
  t.teardown(() => other.release(true));
  await other.query('BEGIN');
  await other.query(lock, [first]);
  const consume = trustConsumer(context, 'sandbox');
  const lastFirst = fixtures.toSorted(({ agentId }) => (agentId === last ? -1 : 1));
  const applied = Promise.allSettled(
    lastFirst.map((fixture) => consume(trustEvent(fixture, promotion))),
  );
  await until(async () => (await waitingForLocks(other, '%trust_level%')) > 0, {
    what: 'the first agent',
  });
  await t.resolves(
    other.query(`${lock} NOWAIT`, [last]).finally(() => other.query('COMMIT')),
    'the last is still free',
  );
  await applied;
});

test('a promotion does not replace the fence of a revocation by an ordinary one', async (t) => {
  const fixture = await createAgentFixture(call);
  const { clientId, principalId, agentId } = fixture;
  ledger.refuse();
  t.teardown(() => ledger.accept());
  const tenant = { clientId, principalId };
  const revocation = { tenant, id: agentId, status: 'REVOKED', reason: 'gone' };
  const revoked = call.UpdateAgentStatus(revocation, { deadlineMs: 900 });
  t.match(await refusalOf(revoked), /SERVICE_UNAVAILABLE/);
  const pending = async () => {
    const sql = 'SELECT version, revoked FROM pending_fences WHERE entity_id = $1';
    return (await context.stores.sandbox.pool.query(sql, [agentId])).rows;
  };
  await until(async () => (await pending()).length > 0, { what: 'the revocation to be stored' });
  await trustConsumer(context, 'sandbox')(trustEvent(fixture, promotion));
  t.same(await pending(), [{ version: 3, revoked: true }]);
  ledger.accept();
  await until(() => ledger.versionOf(agentId) === 3, { what: 'the fence' });
  t.ok(ledger.denied.includes(agentId), 'its pending challenges are denied');
});

test('an invalid event does not block other events', async () => {
  const fixtures = [await createAgentFixture(call), await createAgentFixture(call)] as const;
  const bad = trustEvent(fixtures[0], { newTrustLevel: 'SAINT' });
  await Promise.all(
    [bad, ...fixtures.map((fixture) => trustEvent(fixture, promotion))].map(publish),
  );
  for (const fixture of fixtures) {
    await until(async () => (await agentOf(fixture)).trustLevel === 'VERIFIED', {
      what: 'the level',
    });
  }
});

test('an event about an unknown agent is ignored', async (t) => {
  const fixture = await createAgentFixture(call);
  const lost = trustEvent({ ...fixture, agentId: newId('agent') }, promotion);
  await publish(lost);
  await publish(trustEvent(fixture, promotion));
  await until(async () => (await agentOf(fixture)).trustLevel === 'VERIFIED', {
    what: 'the next one',
  });
  t.match(await agentOf(fixture), { trustLevel: 'VERIFIED', version: 2 });
});

test('inbox and outbox events are deleted after their retention periods', async (t) => {
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
  t.equal(await sweep(pool, eventSweeps), 4);
  const { rows } = await pool.query(
    `SELECT event_id FROM inbox WHERE event_id LIKE 'evt_in%'
     UNION SELECT event_id FROM outbox WHERE event_id LIKE 'evt_out%'`,
  );
  t.same(rows.map((row) => row.event_id).sort(), ['evt_in_14', 'evt_out_6']);
});

test('the process serves liveness, readiness and metrics', async (t) => {
  const get = (path: string) => fetch(`http://127.0.0.1:${healthPort}${path}`);
  t.equal((await get('/livez')).status, 200);
  t.same(await (await get('/readyz')).json(), {
    status: 'ok',
    checks: { database_live: 'ok', database_sandbox: 'ok' },
  });
  t.match(await (await get('/metrics')).text(), /countersign_fences_pending_sandbox/);
});
