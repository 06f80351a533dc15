import { type BusEvent, type BusTopic, packedTopic } from '@countersign/kernel/event';
import { type LedgerDefinition, ledgerService } from '@countersign/proto/ledger';
import { createBus } from '@countersign/runtime/bus';
import { inTheClear } from '@countersign/runtime/grpc/transport';
import { createGrpcClient } from '@countersign/runtime/grpc-client';
import type { Logger } from '@countersign/runtime/log';
import { Metrics } from '@countersign/runtime/metrics';
import { sweep } from '@countersign/runtime/retention';
import { testUrl, until } from '@countersign/runtime/testing';
import { t as file, test } from 'tap';
import { outboxSweeps } from '../retention.js';
import { startServer } from '../server.js';
import { callOf, count, createWorld, faultOf, newSpender, proposalOf } from './fixture.js';
import { withPackedEvent } from './packed-event.js';

const world = await createWorld(file);
const ledger = await world.start();
const { context, handlers } = ledger;
const { pool } = context.stores.live;

test('the database rejects changes of records and appended facts', async (t) => {
  const spender = newSpender();
  const { authorizationId } = proposalOf(spender);
  await handlers.Commit(proposalOf(spender, { authorizationId }), callOf(ledger));
  const which = { tenant: spender, authorizationId };
  await handlers.Reverse({ ...which, requestedBy: 'prn_test' }, callOf(ledger));
  const tables = {
    authorization_record: 'id',
    step_up_answer: 'authorization_id',
    reversal: 'authorization_id',
    outcome: 'authorization_id',
    reference: 'authorization_id',
    system_void: 'authorization_id',
    first_answer: 'authorization_id',
    chain_entry: 'seq',
    chain_head: 'seq',
    chain_key: 'kid',
    decision_basis: 'hash',
    intent_use: 'authorization_id',
  };
  for (const [table, key] of Object.entries(tables)) {
    // Of this table itself, whatever would refuse to lose its rows with it.
    const message = new RegExp(`of ${table} is refused: records are only appended`);
    const refused = { code: '23001', message };
    for (const sql of [
      `UPDATE ${table} SET ${key} = ${key}`,
      `DELETE FROM ${table}`,
      `TRUNCATE ${table} CASCADE`,
      `SET session_replication_role = replica; DELETE FROM ${table}`,
    ]) {
      const error = await pool.query(`BEGIN; ${sql}; COMMIT`).catch((thrown) => thrown);
      t.match(error, refused, sql);
      await pool.query('ROLLBACK');
    }
  }
  t.has(await handlers.GetAuthorization(which, callOf(ledger)), { reversedAmount: '10.00' });
});

test('every record is published with the same values as in its answer', async (t) => {
  const { natsUrl: url, namespace } = context.config;
  const bus = createBus({
    url,
    namespace,
    service: 'listener',
    log: context.log,
    metrics: new Metrics('listener'),
  });
  t.teardown(() => bus.close());
  const events = new Map<string, BusEvent>();
  const topics = new Map<string, BusTopic>();
  for (const topic of [...recordedTopics, 'authorization.amended'] as const) {
    const handle = async (event: BusEvent): Promise<void> => {
      events.set(event.id, event);
      topics.set(event.id, topic);
    };
    bus.subscribe({ environment: 'live', topic, handle });
  }
  const spender = newSpender();
  const expected = new Map<string, BusTopic>();
  const requests = Array.from({ length: 40 }, (_, n) => {
    const topic = recordedTopics[n % 2] ?? packedTopic;
    const request = proposalOf(spender);
    expected.set(request.authorizationId, topic);
    return topic === packedTopic ? withPackedEvent(request) : request;
  });
  await Promise.all(requests.map((request) => handlers.Commit(request, callOf(ledger))));
  const mine = (): BusEvent[] =>
    [...events.values()].filter(({ principalId }) => principalId === spender.principalId);
  await until(() => mine().length === 20, { what: 'an event for each record' });
  const recorded = mine() as BusEvent<'authorization.recorded'>[];
  for (const { id, data } of recorded) {
    t.equal(id, data.authorizationId.replace('auth_', 'evt_'));
    t.equal(topics.get(id), expected.get(data.authorizationId), 'each on its topic');
    const which = { tenant: spender, authorizationId: data.authorizationId };
    const { answer } = await handlers.GetAuthorization(which, callOf(ledger));
    t.equal(data.reasonDetail, JSON.parse(answer).reason_detail);
    t.match(data.reasonDetail, /^100 % sure, "\d+\.00" left$/);
  }
  const authorizationId = recorded[0]?.data.authorizationId ?? '';
  const reverse = { tenant: spender, authorizationId, amount: '2.50', requestedBy: 'prn_test' };
  await handlers.Reverse(reverse, callOf(ledger));
  const amended = await until(() => mine().find(({ type }) => type === 'authorization.amended'));
  t.has(amended, {
    environment: 'live',
    clientId: spender.clientId,
    requestId: 'req_test',
    data: { authorizationId, amendment: 'REVERSED', decision: 'APPROVE', amount: '2.50' },
  });
  await until(async () => (await count(ledger, unpublished)) === 0, { what: 'an empty outbox' });
  const missing = await count(
    ledger,
    `SELECT count(*) FROM authorization_record r LEFT JOIN (${recordedEvents}) o
       ON o.id = replace(r.id, 'auth_', 'evt_')
     WHERE o.id IS NULL`,
  );
  t.equal(missing, 0);
  const eventCount = await count(ledger, `SELECT count(*) FROM (${recordedEvents}) o`);
  t.equal(
    eventCount,
    await count(ledger, 'SELECT count(*) FROM authorization_record'),
    'one event each',
  );
  t.ok((await count(ledger, recordedRows)) < eventCount, 'events of one commit share a row');
});

const unpublished = 'SELECT count(*) FROM unpublished';
const recordedTopics = ['authorization.recorded', packedTopic] as const;
const onRecordedTopics = `type = ANY('{${recordedTopics}}')`;
const recordedRows = `SELECT count(*) FROM outbox WHERE ${onRecordedTopics}`;
const recordedEvents = `
  SELECT coalesce(event ->> 'id', replace(event -> 5 ->> 1, 'auth_', 'evt_')) AS id
  FROM outbox, json_array_elements(('[' || payload || ']')::json) event
  WHERE ${onRecordedTopics}`;

test('published events are deleted after their retention, unpublished ones never', async (t) => {
  await pool.query(
    `INSERT INTO outbox (event_id, type, payload, created_at, published_at)
     SELECT 'evt_swept' || n, 'trust.changed', '{}', now() - interval '6 days',
       CASE WHEN n > 2000 THEN now() - interval '5 days' END
     FROM generate_series(1, 2500) n`,
  );
  await pool.query(`DELETE FROM unpublished USING outbox
    WHERE unpublished.seq = outbox.seq AND event_id LIKE 'evt_swept%'`);
  const before = await count(ledger, 'SELECT count(*) FROM outbox');
  // Newer rows precede them in the table, but the sweep starts with the oldest.
  await pool.query(`UPDATE outbox SET created_at = now() - interval '9 days'
    WHERE event_id NOT LIKE 'evt_swept%' OR event_id = 'evt_swept3'`);
  await pool.query('DELETE FROM unpublished');
  // The third was created too long ago to be published again, whenever it was published.
  await pool.query(`UPDATE outbox SET published_at = now()
    WHERE event_id IN ('evt_swept1', 'evt_swept3')`);
  await pool.query(`INSERT INTO unpublished SELECT seq FROM outbox WHERE event_id = 'evt_swept2'`);
  t.equal(await sweep(pool, outboxSweeps(100)), before - 2);
  t.equal(await sweep(pool, outboxSweeps(100)), 0);
  const { rows } = await pool.query('SELECT event_id FROM outbox ORDER BY seq');
  // The relay may have published the second one meanwhile, which is within the retention.
  t.same(rows, [{ event_id: 'evt_swept1' }, { event_id: 'evt_swept2' }]);
});

test('proposals that fail before they are sent count as failed commits, too', async (t) => {
  const cut = await world.start({ env: { COMMIT_QUEUE_LIMIT: '1' } });
  const late = { ...callOf(cut), deadlineAt: Date.now() - 1 };
  const spender = newSpender();
  const commits = [1, 2].map(() => faultOf(cut.handlers.Commit(proposalOf(spender), late)));
  const faults = await Promise.all(commits);
  t.same(faults.map(({ internal }) => internal).sort(), [
    'the commit queue is full',
    'the deadline passed in the queue',
  ]);
  const outcomes = cut.context.metrics.registry.getSingleMetric(
    'countersign_commit_outcomes_total',
  );
  t.match(await outcomes?.get(), { values: [{ labels: { outcome: 'failed' }, value: 2 }] });
});

test('a database that is away is a warning, a refusal is not', async (t) => {
  const warnings: unknown[] = [];
  const log = { warn: (...line: unknown[]) => void warnings.push(line) } as unknown as Logger;
  const call = { ...callOf(ledger), log };
  const { authorizationId, agentId } = proposalOf(newSpender());
  const find = () => faultOf(handlers.FindOwner({ authorizationId }, call));
  t.equal((await find()).kind, 'not_found');
  t.same(warnings, []);
  const refused = Object.assign(new Error('away'), { code: 'ECONNREFUSED' });
  const { commits } = context.stores.live;
  for (const each of [pool, commits]) {
    t.intercept(each, 'query', { value: () => Promise.reject(refused) });
  }
  t.equal((await find()).kind, 'unavailable');
  const line = 'call could not be carried out';
  t.match(warnings.splice(0), [[{ err: { cause: Error } }, line]]);
  const entities = [{ entityId: agentId, version: 1 }];
  t.equal((await faultOf(handlers.Fence({ entities }, call))).kind, 'unavailable');
  t.match(warnings[0], [{ err: { cause: refused } }, line], 'with what the driver says');
});

test('without the bus the service is ready, accepts proposals and stops in time', async (t) => {
  const cut = await world.start({ env: { NATS_URL: 'nats://127.0.0.1:1' } });
  const { grpcPort, healthPort } = await startServer(cut.context);
  const ready = await fetch(`http://127.0.0.1:${healthPort}/readyz`);
  t.equal(ready.status, 200);
  t.match(await ready.json(), { checks: { database_live: 'ok', database_sandbox: 'ok' } });
  const client = createGrpcClient<LedgerDefinition>({
    transport: inTheClear,
    service: ledgerService,
    address: `127.0.0.1:${grpcPort}`,
    metrics: context.metrics,
  });
  t.teardown(() => client.close());
  const sandbox = { environment: 'sandbox', requestId: 'req_1', deadlineMs: 10_000 } as const;
  const request = proposalOf(newSpender());
  const taken = client.call.Commit(request, sandbox);
  t.equal((await taken).outcome, 'recorded');
  const { clientId, principalId } = request;
  const which = { tenant: { clientId, principalId }, authorizationId: request.authorizationId };
  const fault = await faultOf(
    client.call.GetAuthorization(which, { ...sandbox, environment: 'live' }),
  );
  t.equal(fault.kind, 'not_found', 'sandbox events are not in live');
  const metrics = await (await fetch(`http://127.0.0.1:${healthPort}/metrics`)).text();
  t.match(metrics, /commit_outcomes_total\{[^}]*outcome="recorded"[^}]*\} 1/);
  const started = Date.now();
  await cut.context.lifecycle.shutdown();
  t.ok(Date.now() - started < 9_000, 'within the time limit of a shutdown');
  t.equal(testUrl('nats'), context.config.natsUrl);
});
