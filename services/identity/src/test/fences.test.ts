import type { BusEvent } from '@countersign/kernel/event';
import { newId } from '@countersign/kernel/id';
import { until } from '@countersign/runtime/testing';
import { waitingForLocks } from '@countersign/runtime/testing/locks';
import root, { test } from 'tap';
import { deleteFences, putPendingFences } from '../fence/sql.js';
import { handlers } from '../handlers/index.js';
import { createAgentFixture, mandateRequest } from './fixtures.js';
import { refusalOf, startIdentity } from './harness.js';

const running = await startIdentity(root);
const { call, context, ledger } = running;
const { pool } = context.stores.sandbox;

/** For calls whose fence the ledger does not accept: they would try again until their deadline. */
const inVain = { deadlineMs: 900 };

const pending = async (entityId: string): Promise<number | undefined> => {
  const { rows } = await pool.query('SELECT version FROM pending_fences WHERE entity_id = $1', [
    entityId,
  ]);
  return rows[0]?.version;
};

test('a change of authority returns after the fence for its new version', async (t) => {
  const fixture = await createAgentFixture(call);
  const { clientId, principalId, agentId, mandateId, programId } = fixture;
  const tenant = { clientId, principalId };
  t.same(
    [programId, principalId, agentId, mandateId].map((id) => ledger.versionOf(id)),
    [undefined, undefined, undefined, undefined],
    'no decision can be based on earlier versions of new entities',
  );
  const fencedAt = async (id: string, work: Promise<{ version: number }>) => {
    const { version } = await work;
    t.equal(ledger.versionOf(id), version);
    t.equal(await pending(id), undefined);
    return version;
  };
  const status = (to: string) =>
    call.UpdateAgentStatus({ tenant, id: agentId, status: to, reason: 'test' });
  t.equal(await fencedAt(programId, call.UpdateProgram({ id: programId, status: 'PAUSED' })), 2);
  t.equal(
    await fencedAt(principalId, call.UpdatePrincipal({ id: principalId, riskTier: 'HIGH' })),
    2,
  );
  t.equal(await fencedAt(agentId, status('SUSPENDED')), 2);
  t.equal(await fencedAt(agentId, status('ACTIVE')), 3);
  const second = await call.CreateMandate(mandateRequest(clientId, agentId));
  t.equal(ledger.versionOf(agentId), 4, 'a new mandate supersedes the previous one');
  t.equal(await fencedAt(mandateId, call.RevokeMandate({ tenant, id: mandateId })), 2);
  t.notOk(ledger.denied.includes(agentId));
  await fencedAt(agentId, status('REVOKED'));
  t.ok(ledger.denied.includes(agentId), 'its challenges are denied with the fence');
  t.notOk(ledger.denied.includes(second.id));
  t.equal(ledger.versionOf(second.id), 2, 'its mandates are revoked with the agent');
  t.equal(ledger.versionOf(agentId), 5);
  await call.ErasePersonalData({ principalId });
  t.equal(ledger.versionOf(principalId), 3, 'whose data is erased is not verified any more');
});

test('a revocation returns only after the ledger has accepted its fence', async (t) => {
  const { clientId, principalId, mandateId } = await createAgentFixture(call);
  let arrived = false;
  let open: () => void = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  ledger.before = () => {
    arrived = true;
    return gate;
  };
  t.teardown(() => ledger.accept());
  let answered = false;
  const revoke = call
    .RevokeMandate({ tenant: { clientId, principalId }, id: mandateId })
    .finally(() => {
      answered = true;
    });
  await until(() => arrived, { what: 'the fence at the ledger' });
  await pool.query('SELECT 1');
  t.notOk(answered);
  t.equal(await pending(mandateId), 2, 'the row was committed with the change');
  open();
  t.equal((await revoke).status, 'REVOKED');
  t.equal(ledger.versionOf(mandateId), 2);
});

test('a change whose fence is rejected fails, and the loop retries its fence', async (t) => {
  const { clientId, principalId, mandateId, agentId } = await createAgentFixture(call);
  const tenant = { clientId, principalId };
  const revoke = (options = {}) => call.RevokeMandate({ tenant, id: mandateId }, options);
  ledger.refuse();
  t.teardown(() => ledger.accept());
  t.match(await refusalOf(revoke(inVain)), /^(unavailable|deadline) SERVICE_UNAVAILABLE$/);
  await until(async () => (await pending(mandateId)) === 2, { what: 'the change to be stored' });
  t.equal((await call.GetMandate({ tenant, id: mandateId })).status, 'REVOKED');
  t.match(
    await refusalOf(revoke(inVain)),
    /SERVICE_UNAVAILABLE/,
    'a repeat does not succeed while the ledger may still approve',
  );
  const request = mandateRequest(clientId, agentId);
  t.match(await refusalOf(call.CreateMandate(request, inVain)), /SERVICE_UNAVAILABLE/);
  t.equal(ledger.versionOf(mandateId), undefined);
  ledger.accept();
  await until(() => ledger.versionOf(mandateId) === 2 && ledger.versionOf(agentId) === 2, {
    what: 'the loop',
  });
  await until(async () => (await pending(mandateId)) === undefined, { what: 'the row to go' });
  t.equal((await revoke()).status, 'REVOKED');
  t.equal((await call.CreateMandate(request)).id, request.id, 'created once, by the failed call');
});

test('a repeated change of an agent or a Principal waits for the fence as well', async (t) => {
  const { clientId, principalId, agentId } = await createAgentFixture(call);
  const agent = { tenant: { clientId, principalId }, id: agentId, status: 'REVOKED' };
  const changes = {
    agent: (options = {}) => call.UpdateAgentStatus({ ...agent, reason: 'gone' }, options),
    principal: (options = {}) =>
      call.UpdatePrincipal({ id: principalId, riskTier: 'PROHIBITED' }, options),
  };
  ledger.refuse();
  t.teardown(() => ledger.accept());
  for (const [what, change] of Object.entries(changes)) {
    t.match(await refusalOf(change(inVain)), /SERVICE_UNAVAILABLE/, what);
    t.match(await refusalOf(change(inVain)), /SERVICE_UNAVAILABLE/, `${what}, repeated`);
  }
  ledger.accept();
  await changes.agent();
  await changes.principal();
  t.same(
    [agentId, principalId].map((id) => ledger.versionOf(id)),
    [2, 2],
  );
});

test('without the ledger a change fails in time, and its fence is delivered later', async (t) => {
  const { clientId, principalId, agentId } = await createAgentFixture(call);
  await ledger.stop();
  const started = Date.now();
  // Bypasses the gRPC client, which would retry until the caller's deadline.
  const suspend = handlers(context).UpdateAgentStatus(
    { tenant: { clientId, principalId }, id: agentId, status: 'SUSPENDED', reason: 'gone' },
    {
      environment: 'sandbox',
      requestId: 'req_1',
      log: context.log,
      deadlineAt: started + 10_000,
    },
  );
  t.equal(await refusalOf(suspend), 'unavailable SERVICE_UNAVAILABLE');
  t.ok(Date.now() - started < 4_000, 'bounded by the deadline of the fence, not of the call');
  t.equal(await pending(agentId), 2);
  await ledger.start();
  await until(() => ledger.versionOf(agentId) === 2, { what: 'the fence' });
  await until(async () => (await pending(agentId)) === undefined, { what: 'the row to go' });
});

test('fences that another process left are delivered, in their own environment', async (t) => {
  const [one, two] = [newId('agent'), newId('agent')];
  const insert = 'INSERT INTO pending_fences (entity_id, version, revoked) VALUES ($1, 7, $2)';
  await context.stores.sandbox.pool.query(insert, [one, false]);
  await context.stores.live.pool.query(insert, [two, true]);
  const found = await until(() => {
    const fences = ledger.fenced.filter(({ entityId }) => entityId === one || entityId === two);
    return fences.length >= 2 && fences;
  });
  t.same(
    new Set(found.map(({ environment, entityId }) => `${environment} ${entityId}`)),
    new Set([`sandbox ${one}`, `live ${two}`]),
  );
  t.ok(ledger.denied.includes(two), 'the fence of a revoked agent is marked as such');
  t.notOk(ledger.denied.includes(one));
});

test('a fence does not wait for as long as the clock of the database was set back', async (t) => {
  const id = newId('agent');
  await pool.query(
    `INSERT INTO pending_fences (entity_id, version, created_at)
     VALUES ($1, 7, now() + interval '1 hour')`,
    [id],
  );
  await until(() => ledger.versionOf(id) === 7, { what: 'the fence' });
  t.equal(ledger.versionOf(id), 7);
});

test('a fence that is pending is only ever raised, and stays as old as it is', async (t) => {
  const id = newId('agent');
  const put = (version: number, revoked: boolean) =>
    pool.query(putPendingFences, [[id], [version], [revoked]]);
  ledger.refuse();
  t.teardown(() => ledger.accept());
  await put(7, false);
  await pool.query(
    `UPDATE pending_fences SET created_at = now() - interval '1 hour' WHERE entity_id = $1`,
    [id],
  );
  await put(9, true);
  await put(8, false);
  const read = `SELECT version, revoked, created_at < now() - interval '59 minutes' AS old
    FROM pending_fences WHERE entity_id = $1`;
  t.same((await pool.query(read, [id])).rows, [{ version: 9, revoked: true, old: true }]);
  ledger.accept();
  await until(async () => (await pending(id)) === undefined, { what: 'the row to go' });
  t.ok(ledger.denied.includes(id), 'a change after a revocation leaves it one');
});

test('a version that is being written while another is deleted is kept', async (t) => {
  const id = newId('agent');
  ledger.refuse();
  t.teardown(() => ledger.accept());
  await pool.query(putPendingFences, [[id], [7], [false]]);
  const writer = await pool.connect();
  await writer.query('BEGIN');
  await writer.query(putPendingFences, [[id], [9], [false]]);
  let isDone = false;
  const deletion = pool.query(deleteFences, [[id], [7]]).finally(() => {
    isDone = true;
  });
  await until(async () => isDone || (await waitingForLocks(pool)) > 0);
  await writer.query('COMMIT');
  writer.release();
  await deletion;
  t.equal(await pending(id), 9);
  ledger.accept();
  await until(async () => (await pending(id)) === undefined, { what: 'the row to go' });
});

test('acknowledging a version does not delete a newer one written meanwhile', async (t) => {
  const { programId } = await createAgentFixture(call);
  let changed = false;
  ledger.before = async () => {
    if (changed) return;
    changed = true;
    await pool.query('UPDATE pending_fences SET version = 9 WHERE entity_id = $1', [programId]);
  };
  t.teardown(() => ledger.accept());
  await call.UpdateProgram({ id: programId, status: 'CLOSED' });
  await until(() => ledger.versionOf(programId) === 9, { what: 'the newer version' });
  t.equal(ledger.versionOf(programId), 9);
});

test('concurrent grants get distinct versions, and the highest is fenced', async (t) => {
  const { clientId, principalId, agentId, mandateId } = await createAgentFixture(call);
  const made = await Promise.all(
    Array.from({ length: 10 }, () => call.CreateMandate(mandateRequest(clientId, agentId))),
  );
  const { agent } = await call.GetSpendingFacts({ clientId, agentId });
  t.equal(agent?.version, 11);
  const tenant = { clientId, principalId };
  const { mandates } = await call.ListAgentMandates({ tenant, agentId });
  t.equal(mandates.at(-1)?.id, mandateId, 'the first is the oldest');
  t.same(new Set(mandates.map(({ id }) => id)), new Set([mandateId, ...made.map(({ id }) => id)]));
  const highest = ledger.fenced.filter((fence) => fence.entityId === agentId);
  t.equal(Math.max(...highest.map(({ version }) => version)), 11);
});

test('a change that is rolled back leaves neither fence nor event', async (t) => {
  const { clientId, agentId } = await createAgentFixture(call);
  const count = async () => {
    const { rows } = await pool.query(
      `SELECT (SELECT count(*) FROM outbox WHERE payload LIKE '%' || $1 || '%')::int AS events,
        (SELECT version FROM agents WHERE id = $1) AS version`,
      [agentId],
    );
    return rows[0];
  };
  const before = await count();
  const bad = mandateRequest(clientId, agentId, { maxAmountPerTransaction: '0' });
  t.match(await refusalOf(call.CreateMandate(bad)), /VALIDATION_ERROR/);
  t.same(await count(), before);
  t.equal(await pending(agentId), undefined);
});

test('every change is published on the bus', async (t) => {
  const events: BusEvent[] = [];
  context.bus.subscribe({
    environment: 'sandbox',
    topic: 'identity.changed',
    handle: async (event) => {
      events.push(event);
    },
  });
  const { clientId, principalId, agentId, mandateId, programId } = await createAgentFixture(call);
  await call.UpdateProgram({ id: programId, name: 'Renamed' });
  const other = await call.CreateProgram({
    id: newId('program'),
    clientId,
    name: 'B',
    rails: ['card'],
  });
  await call.EnrollPrincipal({ clientId, principalId, programId: other.id });
  const tenant = { clientId, principalId };
  await call.UpdateAgentStatus({ tenant, id: agentId, status: 'REVOKED', reason: 'gone' });
  const seen = await until(() => {
    const ours = events.filter((event) => event.clientId === clientId);
    return ours.length >= 4 && ours;
  });
  const published = seen.map(({ data, principalId: of }) => ({ ...data, of }));
  t.same(
    new Set(published.map((event) => JSON.stringify(event))),
    new Set(
      [
        { entity: 'program', entityId: programId, agentId: null, version: 2, of: null },
        { entity: 'principal', entityId: principalId, agentId: null, version: 2, of: principalId },
        { entity: 'agent', entityId: agentId, agentId, version: 2, of: principalId },
        { entity: 'mandate', entityId: mandateId, agentId, version: 2, of: principalId },
      ].map((event) => JSON.stringify(event)),
    ),
  );
  t.ok(seen.every((event) => event.environment === 'sandbox' && event.requestId !== null));
});
