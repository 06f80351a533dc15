import { newId } from '@countersign/kernel/id';
import { sweep } from '@countersign/runtime/retention';
import { createTestDatabases, until } from '@countersign/runtime/testing';
import { waitingForLocks } from '@countersign/runtime/testing/locks';
import t, { test } from 'tap';
import { sweeps } from '../sweep.js';
import { newTenant, type Tenant } from './hook.js';
import { callOptions, publish, recorded, startNotifier } from './notifier.js';
import { patiently } from './patience.js';
import { type Receiver, startReceiver } from './receiver.js';

const namespace = newId('event');
const databases = await createTestDatabases('notifier');
const mostWebhooks = 20;
const notifier = await startNotifier({
  urls: databases.urls,
  namespace,
  env: { WEBHOOKS_PER_PRINCIPAL: String(mostWebhooks) },
});
const { call } = notifier;
const receiver: Receiver = await startReceiver();

t.teardown(async () => {
  await receiver.close();
  await notifier.stop();
  await databases.drop();
});

async function create(tenant = newTenant(), over: { url?: string; eventTypes?: string[] } = {}) {
  const id = newId('webhook');
  const request = { id, tenant, url: receiver.url, eventTypes: ['*'], ...over };
  const created = await patiently(() => call.CreateWebhook(request, callOptions));
  return { id, tenant, ...created };
}

const faultOf = (work: Promise<unknown>) => work.then(() => null).catch((error: unknown) => error);

test('creating a webhook is idempotent by id', async (t) => {
  const { id, tenant, webhook, signingSecret } = await create();
  t.match(webhook, { id, url: receiver.url, eventTypes: ['*'], active: true });
  t.match(webhook, { consecutiveFailures: 0, description: undefined, lastStatusCode: undefined });
  t.match(signingSecret, /^whsec_[0-9A-Za-z]{43}$/);
  const again = await call.CreateWebhook(
    { id, tenant, url: receiver.url, eventTypes: ['*'] },
    callOptions,
  );
  t.same(again, { webhook, signingSecret });
  const theirs = { id, tenant: newTenant(), url: receiver.url, eventTypes: ['*'] };
  t.match(await faultOf(call.CreateWebhook(theirs, callOptions)), { code: 'TENANT_MISMATCH' });
  t.same(await call.GetWebhook({ id, tenant }, callOptions), webhook);
});

test('two calls with one id at the same moment create one webhook, with one secret', async (t) => {
  const tenant = newTenant();
  for (let n = 0; n < 5; n += 1) {
    const request = { id: newId('webhook'), tenant, url: receiver.url, eventTypes: ['*'] };
    const twice = [1, 2].map(() => patiently(() => call.CreateWebhook(request, callOptions)));
    const [one, other] = await Promise.all(twice);
    t.same(one, other);
  }
  const { webhooks } = await call.ListWebhooks({ tenant, page: { limit: 10 } }, callOptions);
  t.equal(webhooks.length, 5);
});

test('invalid webhooks are rejected with a reason', async (t) => {
  const tenant = newTenant();
  const refused = async (over: { url?: string; eventTypes?: string[] }) =>
    faultOf(create(tenant, over));
  for (const url of ['http://8.8.8.8/', 'https://10.0.0.1/', 'https://a@8.8.8.8/', 'x', '']) {
    t.match(await refused({ url }), { kind: 'invalid', code: 'ERROR' }, url);
  }
  t.match(await refused({ eventTypes: [] }), { kind: 'invalid', code: 'VALIDATION_ERROR' });
  t.match(await refused({ eventTypes: ['gate.fired', 'gate.opened'] }), {
    kind: 'invalid',
    code: 'VALIDATION_ERROR',
    errors: [{ field: 'event_types.1' }],
  });
  const live = { ...callOptions, environment: 'live' as const };
  const request = { id: newId('webhook'), tenant, eventTypes: ['*'], url: 'https://8.8.8.8:444/' };
  t.match(await faultOf(call.CreateWebhook(request, live)), { code: 'ERROR' });
  t.equal(
    (await call.ListWebhooks({ tenant, page: { limit: 10 } }, callOptions)).webhooks.length,
    0,
  );
});

test('a Principal that creates many webhooks at once gets no more than it may', async (t) => {
  const tenant = newTenant();
  const many = Array.from({ length: mostWebhooks + 10 }, () => create(tenant));
  const created = await Promise.allSettled(many);
  t.equal(created.filter(({ status }) => status === 'fulfilled').length, mostWebhooks);
  t.match(await faultOf(create(tenant)), { kind: 'invalid', code: 'ERROR' });
  t.ok((await create()).id, 'another one has room');
  const { webhooks } = await call.ListWebhooks({ tenant, page: { limit: 1 } }, callOptions);
  await call.DeleteWebhook({ id: webhooks[0]?.id ?? '', tenant }, callOptions);
  t.ok((await create(tenant)).id, 'a deleted one leaves its place');
});

test("another Client's webhook is not found, another Principal's is forbidden", async (t) => {
  const { id, tenant } = await create();
  const [delivery] = await deliveryOf(id, tenant);
  const sibling = { ...tenant, principalId: newId('principal') };
  const expected: Array<[who: ReturnType<typeof newTenant>, fault: object]> = [
    [newTenant(), { kind: 'not_found', code: 'NOT_FOUND' }],
    [{ ...newTenant(), principalId: tenant.principalId }, { kind: 'not_found' }],
    [sibling, { kind: 'forbidden', code: 'TENANT_MISMATCH' }],
  ];
  for (const [who, fault] of expected) {
    const own = { id, tenant: who };
    const page = { limit: 10 };
    const attempts = [
      call.GetWebhook(own, callOptions),
      call.UpdateWebhook({ ...own, active: false }, callOptions),
      call.DeleteWebhook(own, callOptions),
      call.TestWebhook({ ...own, eventType: 'gate.fired' }, callOptions),
      call.RotateWebhookSecret(own, callOptions),
      call.ListDeliveries({ tenant: who, webhookId: id, page }, callOptions),
      call.RetryDelivery({ tenant: who, webhookId: id, deliveryId: delivery.id }, callOptions),
    ];
    for (const given of await Promise.all(attempts.map(faultOf))) t.match(given, fault);
    t.same((await call.ListWebhooks({ tenant: who, page }, callOptions)).webhooks, []);
  }
  const nobodys = { id: newId('webhook'), tenant };
  t.match(await faultOf(call.GetWebhook(nobodys, callOptions)), { code: 'NOT_FOUND' });
  const live = { ...callOptions, environment: 'live' as const };
  t.match(await faultOf(call.GetWebhook({ id, tenant }, live)), { code: 'NOT_FOUND' });
});

/** Sends a test event and resolves once it is delivered. */
async function deliveryOf(id: string, tenant: ReturnType<typeof newTenant>) {
  await call.TestWebhook({ id, tenant, eventType: 'gate.fired' }, callOptions);
  return until(async () => {
    const page = { tenant, webhookId: id, page: { limit: 1 } };
    const [newest] = (await call.ListDeliveries(page, callOptions)).deliveries;
    return newest && newest.status !== 'PENDING' ? ([newest] as const) : null;
  });
}

test('lists are newest first, in pages without gaps or duplicates', async (t) => {
  const tenant = newTenant();
  const made: string[] = [];
  for (let i = 0; i < 5; i += 1) made.push((await create(tenant)).id);
  const seen: string[] = [];
  let after: { createdAt: string; id: string } | undefined;
  for (let more = true; more; ) {
    const page = { limit: 2, ...(after && { after }) };
    const { webhooks, hasMore } = await call.ListWebhooks({ tenant, page }, callOptions);
    seen.push(...webhooks.map(({ id }) => id));
    after = webhooks.at(-1);
    more = hasMore;
  }
  t.same(seen, made.reverse());
});

test('an update changes only the given fields', async (t) => {
  const { id, tenant, webhook } = await create();
  const update = (change: object) => call.UpdateWebhook({ id, tenant, ...change }, callOptions);
  t.same(await update({ description: 'for tests' }), { ...webhook, ...described('for tests') });
  t.match(await update({ eventTypes: ['cts.red', 'cts.red'] }), { eventTypes: ['cts.red'] });
  t.match(await update({ url: `${receiver.url}/x` }), { url: `${receiver.url}/x`, active: true });
  t.notOk((await update({ clearDescription: true })).description);
  t.match(await faultOf(update({ url: 'https://127.0.0.2/' })), { code: 'ERROR' });
  t.match(await update({ active: false }), { active: false, url: `${receiver.url}/x` });
});

function described(description: string) {
  return { description, _description: 'description' as const };
}

test('a test event is the marked sample of its type, under the requested name', async (t) => {
  const { id, tenant, signingSecret } = await create();
  const before = receiver.received.length;
  for (const eventType of ['gate.fired', 'cts.critical', 'fraud.triage.resolved']) {
    await call.TestWebhook({ id, tenant, eventType }, callOptions);
  }
  await receiver.count(before + 3);
  const got = receiver.received.slice(before);
  t.same(got.map(({ body }) => body.event).sort(), [
    'cts.critical',
    'fraud.triage.resolved',
    'gate.fired',
  ]);
  for (const one of got) {
    t.equal(one.body.data.test, true);
    t.equal(one.headers['x-service-signature'], one.signatureUnder(signingSecret));
  }
  const unknown = { id, tenant, eventType: '*' };
  t.match(await faultOf(call.TestWebhook(unknown, callOptions)), { kind: 'invalid' });
  await call.UpdateWebhook({ id, tenant, active: false }, callOptions);
  const off = { id, tenant, eventType: 'gate.fired' };
  t.match(await faultOf(call.TestWebhook(off, callOptions)), { kind: 'malformed' });
});

test('a delivery can be retried manually, as the next attempt for the same event', async (t) => {
  const { id: webhookId, tenant } = await create();
  receiver.behave(400);
  const [failed] = await deliveryOf(webhookId, tenant);
  t.match(failed, { status: 'FAILED', attempts: [{ statusCode: 400 }] });
  receiver.behave(200);
  const before = receiver.received.length;
  const again = { tenant, webhookId, deliveryId: failed.id };
  t.match(await call.RetryDelivery(again, callOptions), { id: failed.id, status: 'PENDING' });
  await receiver.count(before + 1);
  t.has(receiver.received[before], {
    body: { id: failed.eventId },
    headers: { 'x-service-delivery-attempt': '2' },
  });
  const unknown = { ...again, deliveryId: newId('delivery') };
  t.match(await faultOf(call.RetryDelivery(unknown, callOptions)), { code: 'NOT_FOUND' });
  const other = await create();
  const foreign = { tenant: other.tenant, webhookId: other.id, deliveryId: failed.id };
  t.match(await faultOf(call.RetryDelivery(foreign, callOptions)), { code: 'NOT_FOUND' });
  await call.UpdateWebhook({ id: webhookId, tenant, active: false }, callOptions);
  t.match(await faultOf(call.RetryDelivery(again, callOptions)), { kind: 'malformed' });
});

test('a manual retry begins a series of its own, whose failure is not counted again', async (t) => {
  const { id, tenant } = await create();
  receiver.behave(400);
  const [failed] = await deliveryOf(id, tenant);
  const last = receiver.received.length + 2;
  receiver.behave((response, nth) => response.writeHead(nth < last ? 503 : 400).end());
  await call.RetryDelivery({ tenant, webhookId: id, deliveryId: failed.id }, callOptions);
  const list = { tenant, webhookId: id, page: { limit: 1 } };
  await until(async () => {
    const { deliveries } = await call.ListDeliveries(list, callOptions);
    return deliveries[0]?.attempts.length === 3 && deliveries[0].status === 'FAILED';
  });
  t.equal((await call.GetWebhook({ id, tenant }, callOptions)).consecutiveFailures, 1);
  receiver.behave(200);
});

/** Leaves the webhook a delivery that the receiver refused once, and that is due in an hour. */
async function leavePending(id: string, tenant: Tenant): Promise<void> {
  receiver.behave(503);
  await call.TestWebhook({ id, tenant, eventType: 'gate.fired' }, callOptions);
  await until(async () => {
    const { rowCount } = await notifier.context.stores.sandbox.pool.query(
      `UPDATE delivery SET next_attempt_at = now() + interval '1 hour', attempts_left = 4
       WHERE webhook_id = $1 AND attempt_count > 0 AND lease IS NULL AND status = 'PENDING'`,
      [id],
    );
    return rowCount === 1;
  });
}

async function makeDue(webhookId: string): Promise<void> {
  const due = 'UPDATE delivery SET next_attempt_at = now()';
  const pending = "WHERE webhook_id = $1 AND status = 'PENDING'";
  await notifier.context.stores.sandbox.pool.query(`${due} ${pending}`, [webhookId]);
  notifier.context.signals.sandbox.wake();
}

test('once a webhook is disabled, what is pending fails unsent', async (t) => {
  const { id, tenant } = await create();
  const [sent] = await deliveryOf(id, tenant);
  await leavePending(id, tenant);
  await call.UpdateWebhook({ id, tenant, active: false }, callOptions);
  receiver.behave(200);
  const before = receiver.received.length;
  await makeDue(id);
  const [ended, earlier] = await until(async () => {
    const list = { tenant, webhookId: id, page: { limit: 2 } };
    const { deliveries } = await call.ListDeliveries(list, callOptions);
    return deliveries[0]?.status === 'PENDING' ? null : deliveries;
  });
  t.equal(ended?.status, 'FAILED');
  t.ok(ended?.attempts.every(({ statusCode }) => statusCode === 503));
  t.same(earlier, sent, 'what was delivered before has not failed');
  t.equal(receiver.received.length, before);
});

test('a deletion takes effect at once: nothing pending is sent, and rows are purged', async (t) => {
  const { id, tenant } = await create();
  await call.RotateWebhookSecret({ id, tenant }, callOptions);
  await leavePending(id, tenant);
  t.same(await call.DeleteWebhook({ id, tenant }, callOptions), {});
  receiver.behave(200);
  const before = receiver.received.length;
  const { stores } = notifier.context;
  await makeDue(id);
  await publish(notifier, recorded(tenant.principalId));
  const other = await create();
  await deliveryOf(other.id, other.tenant);
  t.equal(receiver.received.length, before + 1, 'only the other webhook received it');
  t.match(await faultOf(call.GetWebhook({ id, tenant }, callOptions)), { code: 'NOT_FOUND' });
  t.match(await faultOf(call.DeleteWebhook({ id, tenant }, callOptions)), { code: 'NOT_FOUND' });
  const kept = 'SELECT secret, previous_secret FROM webhook WHERE id = $1';
  const { rows } = await stores.sandbox.pool.query(kept, [id]);
  t.equal(rows[0]?.secret.length, 0);
  t.equal(rows[0]?.previous_secret, null, 'nor the one before the rotation');
  await until(async () => {
    await sweep(stores.sandbox.pool, sweeps(30));
    const { rows: left } = await stores.sandbox.pool.query(
      `SELECT (SELECT count(*) FROM webhook WHERE id = $1)
        + (SELECT count(*) FROM delivery WHERE webhook_id = $1) AS rows`,
      [id],
    );
    return left[0]?.rows === '0';
  });
});

test('what is deleted meanwhile is not changed, and gets no secret', async (t) => {
  const { pool } = notifier.context.stores.sandbox;
  type Own = { id: string; tenant: Tenant };
  const changes = {
    update: (own: Own) => call.UpdateWebhook({ ...own, active: true }, callOptions),
    rotation: (own: Own) => call.RotateWebhookSecret(own, callOptions),
  };
  const waits = async () => (await waitingForLocks(pool, '%UPDATE%webhook%')) === 1;
  for (const [what, change] of Object.entries(changes)) {
    const { id, tenant } = await create();
    const deleting = await pool.connect();
    await deleting.query('BEGIN');
    const gone = "SET deleted_at = now(), active = false, secret = ''";
    await deleting.query(`UPDATE webhook ${gone} WHERE id = $1`, [id]);
    const fault = faultOf(change({ id, tenant }));
    await until(waits, { what });
    await deleting.query('COMMIT');
    deleting.release();
    t.match(await fault, { code: 'NOT_FOUND' }, what);
    const kept = 'SELECT active, length(secret) AS bytes FROM webhook WHERE id = $1';
    t.same((await pool.query(kept, [id])).rows, [{ active: false, bytes: 0 }], what);
  }
});

test('finished deliveries are deleted after their retention, others are kept', async (t) => {
  const { id, tenant } = await create();
  const [old] = await deliveryOf(id, tenant);
  const [again] = await deliveryOf(id, tenant);
  const [recent] = await deliveryOf(id, tenant);
  const { stores } = notifier.context;
  const age = "UPDATE delivery SET finished_at = now() - interval '31 days' WHERE id = ANY ($1)";
  await stores.sandbox.pool.query(age, [[old.id, again.id]]);
  const before = receiver.received.length;
  let answer = (): unknown => null;
  receiver.behave((response) => {
    answer = () => response.end();
  });
  await call.RetryDelivery({ tenant, webhookId: id, deliveryId: again.id }, callOptions);
  await receiver.count(before + 1);
  await stores.sandbox.pool.query(
    `INSERT INTO inbox VALUES
       ('old', now() - interval '16 days'), ('new', now() - interval '14 days')`,
  );
  await sweep(stores.sandbox.pool, sweeps(30));
  const request = { tenant, webhookId: id, page: { limit: 10 } };
  const { deliveries } = await call.ListDeliveries(request, callOptions);
  t.same(
    deliveries.map((one) => one.id),
    [recent.id, again.id],
    'one that is tried again has not finished',
  );
  answer();
  receiver.behave(200);
  const inbox = "SELECT event_id FROM inbox WHERE event_id IN ('old', 'new')";
  t.same((await stores.sandbox.pool.query(inbox)).rows, [{ event_id: 'new' }]);
});

test('the process serves readiness and metrics', async (t) => {
  const get = async (path: string) => {
    const response = await fetch(`${notifier.healthUrl}${path}`);
    return { status: response.status, text: await response.text() };
  };
  t.equal((await get('/livez')).status, 200);
  t.match(await get('/readyz'), { status: 200, text: /"database_live":"ok"/ });
  t.match(
    (await get('/metrics')).text,
    /countersign_webhook_attempts_total\{.*outcome="delivered"/,
  );
});

test('the operator lists, of all Principals, those that get no events', async (t) => {
  const [failing, off, healthy, deleted] = [
    await create(),
    await create(),
    await create(),
    await create(),
  ];
  // Younger than those of other tests, at times of their own.
  const place = `UPDATE webhook SET consecutive_failures = $2,
    created_at = created_at + $3::interval WHERE id = $1`;
  const { pool } = notifier.context.stores.sandbox;
  await pool.query(place, [failing.id, 3, '1 hour']);
  await pool.query(place, [off.id, 0, '2 hours']);
  await pool.query(place, [deleted.id, 3, '3 hours']);
  await call.UpdateWebhook({ id: off.id, tenant: off.tenant, active: false }, callOptions);
  await call.DeleteWebhook({ id: deleted.id, tenant: deleted.tenant }, callOptions);
  const list = (page: { limit: number; after?: { createdAt: string; id: string } }) =>
    call.ListFailingWebhooks({ page }, callOptions);
  const first = await list({ limit: 1 });
  t.match(first.failing, [{ ...off.tenant, webhook: { id: off.id, active: false } }]);
  const { createdAt = '', id = '' } = first.failing[0]?.webhook ?? {};
  const { failing: next } = await list({ limit: 1, after: { createdAt, id } });
  t.match(next, [{ ...failing.tenant, webhook: { id: failing.id, consecutiveFailures: 3 } }]);
  const all = (await list({ limit: 100 })).failing.map(({ webhook }) => webhook?.id);
  t.notOk(all.includes(healthy.id));
});

t.end();
