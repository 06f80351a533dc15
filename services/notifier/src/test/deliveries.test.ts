import type { BusEvent } from '@countersign/kernel/event';
import { newId } from '@countersign/kernel/id';
import { createTestDatabases, until } from '@countersign/runtime/testing';
import { publishOne } from '@countersign/runtime/testing/publish-one';
import t, { test } from 'tap';
import { consumer } from '../consumer.js';
import { deliveredSql, dropSql, failedSql, retrySql } from '../sql.js';
import { createHook, deliveriesOf, type Hook, newTenant, readHook, type Tenant } from './hook.js';
import { callOptions, publish, type RunningNotifier, recorded, startNotifier } from './notifier.js';
import { type Receiver, startReceiver } from './receiver.js';

const namespace = newId('event');
const databases = await createTestDatabases('notifier');
const notifier: RunningNotifier = await startNotifier({ urls: databases.urls, namespace });
const receivers: Receiver[] = [];

t.teardown(async () => {
  for (const receiver of receivers) await receiver.close();
  await notifier.stop();
  await databases.drop();
});

async function receiver(...behaviour: Parameters<typeof startReceiver>): Promise<Receiver> {
  const started = await startReceiver(...behaviour);
  receivers.push(started);
  return started;
}

const hook = (url: string, eventTypes?: string[], tenant?: Tenant): Promise<Hook> =>
  createHook(notifier.call, { url, ...(eventTypes && { eventTypes }), ...(tenant && { tenant }) });
const deliveries = (of: Hook) => deliveriesOf(notifier.call, of);
const getHook = (of: Hook) => readHook(notifier.call, of);

/** Takes an event as the bus delivers it; once it has resolved, the bus forgets the event. */
const consume = consumer({
  ...{ pool: notifier.context.stores.sandbox.pool, log: notifier.context.log },
  ...{ wakeDispatcher: () => {}, wakeCourier: () => {} },
});

test('a decline is delivered with a signature of the exact bytes', async (t) => {
  const target = await receiver();
  const { secret, tenant, ...rest } = await hook(target.url, ['authorization.decline']);
  const event = recorded(tenant.principalId);
  await publish(notifier, event);
  const [got] = await target.count(1);
  t.has(got?.headers, {
    'content-type': 'application/json',
    'user-agent': 'Service-Webhook/1.0',
    'x-service-event': 'authorization.decline',
    'x-service-delivery-attempt': '1',
    'x-service-signature': got?.signatureUnder(secret),
  });
  t.same(Object.keys(got?.body ?? {}), ['id', 'event', 'timestamp', 'data']);
  t.same(got?.body.data, {
    authorization_id: event.data.authorizationId,
    agent_id: event.data.agentId,
    decision: 'DECLINE',
    amount: '12.50',
    currency: 'USD',
    processing_time_ms: 3.5,
    reason_codes: ['AMOUNT_EXCEEDS_PER_TXN'],
    reason_detail: 'The amount is above the limit.',
  });
  const kept = await until(async () => {
    const webhook = await getHook({ secret, tenant, ...rest });
    return webhook.lastDeliveryAt ? webhook : null;
  });
  t.match(kept, { active: true, consecutiveFailures: 0, lastStatusCode: 200 });
});

test('only active webhooks of the Principal with this event type receive it', async (t) => {
  const target = await receiver();
  const tenant = newTenant();
  const all = await hook(`${target.url}/all`, ['*'], tenant);
  await hook(`${target.url}/alias`, ['cts.red'], tenant);
  await hook(`${target.url}/other-type`, ['step_up.created'], tenant);
  await hook(`${target.url}/other-principal`, ['*'], {
    ...tenant,
    principalId: newId('principal'),
  });
  const off = await hook(`${target.url}/off`, ['*'], tenant);
  await notifier.call.UpdateWebhook({ id: off.id, tenant, active: false }, callOptions);
  await publish(notifier, recorded(tenant.principalId, { zone: 'RED' }));
  await target.count(3);
  const last = await hook(`${target.url}/last`, ['*']);
  await publish(notifier, recorded(last.tenant.principalId));
  await target.count(4);
  const got = target.received.map(({ path, body }) => `${path.slice(6)} ${body.event}`).sort();
  t.same(got, [
    'alias cts.red',
    'all authorization.decline',
    'all kya.zone.red',
    'last authorization.decline',
  ]);
  const ids = target.received.filter(({ body }) => /red$/.test(body.event));
  t.equal(new Set(ids.map(({ body }) => body.id)).size, 1, 'one event id under both names');
  t.equal((await deliveries(all)).length, 2);
  t.same(await deliveries(off), []);
});

test('events of fraud triage are only delivered to webhooks of their Principal', async (t) => {
  const target = await receiver();
  const tenant = newTenant();
  await hook(`${target.url}/resolved`, ['fraud.triage.resolved'], tenant);
  await hook(`${target.url}/all`, ['*'], tenant);
  const sibling = await hook(`${target.url}/sibling`, ['*'], {
    ...tenant,
    principalId: newId('principal'),
  });
  const about = { caseId: newId('fraudCase'), authorizationId: 'auth_1', agentId: 'agt_1' };
  const data = { ...about, resolution: 'INCONCLUSIVE', resolvedBy: 'ISSUER', outcome: null };
  const event = { ...recorded(tenant.principalId), type: 'fraud.case_resolved', data };
  await publish(notifier, event as unknown as BusEvent);
  await target.count(2);
  await publish(notifier, recorded(sibling.tenant.principalId));
  await target.count(3);
  const got = target.received.map(({ path, body }) => `${path.slice(6)} ${body.event}`).sort();
  t.same(got, [
    'all fraud.triage.resolved',
    'resolved fraud.triage.resolved',
    'sibling authorization.decline',
  ]);
  t.same(target.received.find(({ path }) => path.endsWith('resolved'))?.body.data, {
    case_id: about.caseId,
    authorization_id: 'auth_1',
    agent_id: 'agt_1',
    resolution: 'INCONCLUSIVE',
    resolved_by: 'ISSUER',
  });
});

test('each attempt has a new timestamp and signature, and the same id', async (t) => {
  const target = await receiver((response, nth) => {
    response.statusCode = nth < 4 ? 503 : 204;
    response.end();
  });
  const made = await hook(target.url, ['*']);
  await publish(notifier, recorded(made.tenant.principalId));
  const got = await target.count(4);
  t.same(
    got.map(({ headers }) => headers['x-service-delivery-attempt']),
    ['1', '2', '3', '4'],
  );
  t.equal(new Set(got.map(({ body }) => body.id)).size, 1);
  t.equal(new Set(got.map(({ body }) => body.timestamp)).size, 4);
  for (const one of got)
    t.equal(one.headers['x-service-signature'], one.signatureUnder(made.secret));
  const [delivery] = await until(async () => {
    const found = await deliveries(made);
    return found[0]?.status === 'DELIVERED' ? found : null;
  });
  t.same(
    delivery?.attempts.map(({ statusCode }) => statusCode),
    [503, 503, 503, 204],
  );
});

test('there are five attempts at most, and one if the status is not retried', async (t) => {
  const failing = await receiver(500);
  const refusing = await receiver(404);
  const moving = await receiver((response) => {
    response.writeHead(302, { location: failing.url }).end();
  });
  const hooks = await Promise.all([failing, refusing, moving].map(({ url }) => hook(url, ['*'])));
  for (const { tenant } of hooks) await publish(notifier, recorded(tenant.principalId));
  const ended = await until(async () => {
    const all = (await Promise.all(hooks.map(deliveries))).flat();
    return all.length === 3 && all.every(({ status }) => status === 'FAILED') ? all : null;
  });
  t.same(
    ended.map(({ attempts }) => attempts.length),
    [5, 1, 1],
  );
  t.equal(failing.received.length, 5, 'the redirect was not followed');
});

test('an unresponsive endpoint does not delay others', async (t) => {
  const dead = await receiver('hang');
  const healthy = await receiver();
  const tenant = newTenant();
  const deadHook = await hook(dead.url, ['*'], tenant);
  const healthyHook = await hook(healthy.url, ['*'], tenant);
  for (let i = 0; i < 40; i += 1) await publish(notifier, recorded(tenant.principalId));
  await healthy.count(40);
  const waiting = await deliveries(deadHook);
  t.equal(waiting.length, 40);
  t.ok(
    waiting.every(({ attempts }) => attempts.length === 0),
    'all of one endpoint are delivered before an attempt at the other ends',
  );
  t.equal(dead.received.length, 1, 'an unproven endpoint gets one at a time');
  await until(async () =>
    (await deliveries(healthyHook)).every(({ status }) => status === 'DELIVERED'),
  );
  t.equal(healthy.received.length, 40, 'a proven endpoint gets eight at a time, each once');
  await dead.close();
});

async function countDisabled(): Promise<number> {
  const text = await (await fetch(`${notifier.healthUrl}/metrics`)).text();
  const series = 'countersign_webhooks_disabled_total{environment="sandbox"';
  const line = text.split('\n').find((each) => each.startsWith(series));
  return Number(line?.split(' ').at(-1));
}

test('ten consecutive failed events disable a webhook; enabling it resets the count', async (t) => {
  const target = await receiver(400);
  const made = await hook(target.url, ['*']);
  for (let i = 0; i < 9; i += 1) await publish(notifier, recorded(made.tenant.principalId));
  await until(async () => (await getHook(made)).consecutiveFailures === 9);
  t.equal((await getHook(made)).active, true);
  target.behave(200);
  await publish(notifier, recorded(made.tenant.principalId));
  await until(async () => (await getHook(made)).consecutiveFailures === 0);
  const disabledBefore = await countDisabled();
  target.behave(400);
  for (let i = 0; i < 10; i += 1) await publish(notifier, recorded(made.tenant.principalId));
  const off = await until(async () => {
    const webhook = await getHook(made);
    return webhook.active ? null : webhook;
  });
  t.match(off, { consecutiveFailures: 10, lastStatusCode: 400 });
  await until(async () => (await countDisabled()) > disabledBefore);

  target.behave(200);
  const { id, tenant } = made;
  for (const active of [false, true]) {
    const changed = await notifier.call.UpdateWebhook({ id, tenant, active }, callOptions);
    t.match(changed, { active, consecutiveFailures: active ? 0 : 10 });
  }
  const before = target.received.length;
  const event = recorded(tenant.principalId);
  await publish(notifier, event);
  await target.count(before + 1);
  const { data } = target.received[before]?.body ?? {};
  t.equal(data?.authorization_id, event.data.authorizationId, 'no older event is sent afterwards');
});

/** A webhook whose first attempt has arrived, and is answered only when the test says so. */
async function attemptUnderWay() {
  let answer = (_status: number): void => {};
  const target = await receiver((response) => {
    answer = (status) => response.writeHead(status).end();
  });
  const made = await hook(target.url, ['*']);
  await publish(notifier, recorded(made.tenant.principalId));
  await target.count(1);
  return { made, answer: (status: number) => answer(status) };
}

test('a failure that ends after its webhook was disabled does not enable it again', async (t) => {
  const { made, answer } = await attemptUnderWay();
  const { id, tenant } = made;
  await notifier.call.UpdateWebhook({ id, tenant, active: false }, callOptions);
  answer(400);
  await until(async () => (await deliveries(made))[0]?.status === 'FAILED');
  t.match(await getHook(made), { active: false, consecutiveFailures: 1 });
});

/** What a delivery under way must keep: who sends it, until when, and how often after that. */
async function holdOf({ id }: Hook) {
  const { rows } = await notifier.context.stores.sandbox.pool.query(
    'SELECT id, status, lease, next_attempt_at, attempts_left FROM delivery WHERE webhook_id = $1',
    [id],
  );
  return rows[0];
}

test('only the failure that disables a webhook says so, not one after its owner did', async (t) => {
  const { pool } = notifier.context.stores.sandbox;
  for (const active of [true, false]) {
    const { made, answer } = await attemptUnderWay();
    const { id, tenant } = made;
    if (!active) await notifier.call.UpdateWebhook({ id, tenant, active }, callOptions);
    // As if one failure were enough.
    const job = await holdOf(made);
    const values = [job.id, job.lease, '{"status_code":400}', 400, 1];
    t.same((await pool.query(failedSql, values)).rows, [{ disabled: active }]);
    t.match(await getHook(made), { active: false, consecutiveFailures: 1 });
    answer(400);
  }
});

test('an attempt whose lease another replica has taken changes nothing', async (t) => {
  const { stores } = notifier.context;
  const statements = { deliveredSql, retrySql, failedSql };
  for (const [what, sql] of Object.entries(statements)) {
    const { made, answer } = await attemptUnderWay();
    const job = await holdOf(made);
    const last = { deliveredSql: [], retrySql: [0], failedSql: [1] }[what] ?? [];
    const take = `UPDATE delivery SET lease = 'another' WHERE webhook_id = $1`;
    await stores.sandbox.pool.query(take, [made.id]);
    const values = [job.id, job.lease, '{"status_code":500}', 500, ...last];
    t.equal((await stores.sandbox.pool.query(sql, values)).rowCount, 0, what);
    const [delivery] = await deliveries(made);
    t.match(delivery, { status: 'PENDING', attempts: { length: 0 } }, what);
    t.match(await getHook(made), { active: true, consecutiveFailures: 0 }, what);
    answer(200);
  }
});

test('a manual retry leaves a delivery alone that is under way', async (t) => {
  const { made, answer } = await attemptUnderWay();
  const before = await holdOf(made);
  const [delivery] = await deliveries(made);
  const retry = { tenant: made.tenant, webhookId: made.id, deliveryId: delivery?.id ?? '' };
  t.match(await notifier.call.RetryDelivery(retry, callOptions), { status: 'PENDING' });
  t.same(await holdOf(made), before);
  answer(200);
  await until(async () => (await deliveries(made))[0]?.status === 'DELIVERED');
});

test('only what nobody else sends is dropped, and only of a disabled webhook', async (t) => {
  const { stores } = notifier.context;
  const { made, answer } = await attemptUnderWay();
  const before = await holdOf(made);
  const drop = (lease: string) => stores.sandbox.pool.query(dropSql, [made.id, lease]);
  t.equal((await drop(before.lease)).rowCount, 0, 'it was enabled again meanwhile');
  await stores.sandbox.pool.query('UPDATE webhook SET active = false WHERE id = $1', [made.id]);
  t.equal((await drop('another')).rowCount, 0, 'another replica sends it');
  t.same(await holdOf(made), before);
  t.equal((await drop(before.lease)).rowCount, 1);
  answer(200);
});

test('a redelivered message has an effect once', async (t) => {
  const target = await receiver();
  const made = await hook(target.url, ['*']);
  const event = recorded(made.tenant.principalId);
  await publish(notifier, event);
  // The same event under another message id: the bus cannot deduplicate it, the inbox can.
  await publishOne(notifier.context.bus, event, newId('event'));
  await publish(notifier, recorded(made.tenant.principalId));
  await target.count(2);
  t.equal((await deliveries(made)).length, 2);

  const later = await hook(target.url, ['*'], made.tenant);
  const [first, second] = [recorded(made.tenant.principalId), recorded(made.tenant.principalId)];
  // In one transaction with new ones, since it would begin none alone.
  await Promise.all([first, event, second].map((each) => consume(each, null)));
  t.equal((await deliveries(later)).length, 2, 'a webhook created after it gets what is new');

  // Even if the inbox is lost, as after a restore: the derived ids are the same.
  await notifier.context.stores.sandbox.pool.query('DELETE FROM inbox');
  await consume(event, null);
  t.equal((await deliveries(made)).length, 4);
});

test('an event of invalid shape is dropped and does not block later ones', async (t) => {
  const target = await receiver();
  const made = await hook(target.url, ['*']);
  const broken = { ...recorded(made.tenant.principalId), data: { authorizationId: 7 } };
  await publish(notifier, broken as never);
  await publish(notifier, recorded(made.tenant.principalId));
  await target.count(1);
  t.equal(target.received.length, 1);
  await t.resolves(consume(broken as never, null), 'or it would be delivered again and again');
});

test('two replicas share the deliveries, and none is sent twice', async (t) => {
  const second = await startNotifier({ urls: databases.urls, namespace });
  const target = await receiver();
  const tenant = newTenant();
  for (let i = 0; i < 4; i += 1) await hook(`${target.url}/${i}`, ['*'], tenant);
  const sentBy = async ({ context }: RunningNotifier) => {
    const text = await context.metrics.registry.getSingleMetricAsString(
      'countersign_webhook_attempts_total',
    );
    return Number(/environment="sandbox",outcome="delivered"[^}]*\} (\d+)/.exec(text)?.[1] ?? 0);
  };
  let deliveries = 0;
  const publishTen = async (): Promise<void> => {
    for (let i = 0; i < 10; i += 1) await publish(notifier, recorded(tenant.principalId));
    deliveries += 40;
  };
  await publishTen();
  // On a busy machine the first may be quick enough to send all that there is so far.
  await until(
    async () => {
      await publishTen();
      return (await sentBy(second)) > 0;
    },
    { what: 'deliveries of the other replica' },
  );
  await target.count(deliveries);
  await until(async () => {
    const { rows } = await notifier.context.stores.sandbox.pool.query(
      `SELECT count(*)::int AS pending FROM delivery d JOIN webhook w ON w.id = d.webhook_id
       WHERE w.principal_id = $1 AND d.status = 'PENDING'`,
      [tenant.principalId],
    );
    return rows[0]?.pending === 0;
  });
  t.equal(target.received.length, deliveries);
  const sent = target.received.map(({ path, body }) => `${path} ${body.id}`);
  t.equal(new Set(sent).size, deliveries);
  await second.stop();
});

t.end();
