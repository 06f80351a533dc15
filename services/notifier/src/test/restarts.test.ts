import { createBus } from '@countersign/runtime/bus';
import { Metrics } from '@countersign/runtime/metrics';
import { testUrl, until } from '@countersign/runtime/testing';
import { publishOne } from '@countersign/runtime/testing/publish-one';
import t, { test } from 'tap';
import { createHook, deliveriesOf, type Hook } from './hook.js';
import { callOptions, recorded } from './notifier.js';
import { killHard, startProcess } from './process.js';
import { newProcessSite } from './process-site.js';
import { startReceiver } from './receiver.js';

// Retries are a minute away; tests make due what they need earlier.
const { env, namespace, pool, log } = await newProcessSite({ WEBHOOK_RETRY_BASE_MS: '60000' });

/** Makes the retry, or the lease of a dead process, due immediately. */
async function makeDue({ id }: Hook): Promise<void> {
  await pool.query('UPDATE delivery SET next_attempt_at = now() WHERE webhook_id = $1', [id]);
}

test('deliveries continue after a kill between retries and during an attempt', async (t) => {
  const target = await startReceiver(503);
  const first = await startProcess(env);
  const made = await createHook(first.call, { url: target.url });
  const { id, tenant } = made;
  await first.call.TestWebhook({ id, tenant, eventType: 'gate.fired' }, callOptions);
  await until(async () => (await deliveriesOf(first.call, made))[0]?.attempts.length === 1);
  target.behave('hang');
  await makeDue(made);
  await target.count(2);
  await killHard(first);

  target.behave(200);
  const second = await startProcess(env);
  const [waiting] = await deliveriesOf(second.call, made);
  t.equal(waiting?.attempts.length, 1, 'the interrupted attempt is not stored');
  await makeDue(made);
  const got = await target.count(3);
  t.same(
    got.map(({ headers }) => headers['x-service-delivery-attempt']),
    ['1', '2', '2'],
  );
  t.equal(new Set(got.map(({ body }) => body.id)).size, 1);
  await until(async () => (await deliveriesOf(second.call, made))[0]?.status === 'DELIVERED');
  t.equal(await second.end(), 0);
  await target.close();
});

test('events from a downtime are delivered; a shutdown returns attempts in flight', async (t) => {
  const target = await startReceiver('hang');
  const first = await startProcess(env);
  const made = await createHook(first.call, { url: target.url });
  const { id, tenant } = made;
  await first.call.TestWebhook({ id, tenant, eventType: 'gate.fired' }, callOptions);
  await target.count(1);
  t.equal(await first.end(), 0, 'the shutdown does not wait for an unresponsive endpoint');
  const { rows } = await pool.query('SELECT lease, status FROM delivery WHERE webhook_id = $1', [
    id,
  ]);
  t.same(rows, [{ lease: null, status: 'PENDING' }], 'due again immediately, not after a lease');

  const bus = createBus({
    ...{ url: testUrl('nats'), namespace, service: 'ledger', log },
    metrics: new Metrics('test'),
  });
  const event = recorded(tenant.principalId);
  await publishOne(bus, event);
  await bus.close();
  t.equal(target.received.length, 1);

  target.behave(200);
  const second = await startProcess(env);
  const got = await target.count(3);
  t.same(got.map(({ body }) => body.event).sort(), [
    'authorization.decline',
    'gate.fired',
    'gate.fired',
  ]);
  t.equal(await second.end(), 0);
  await target.close();
});

t.end();
