import { Cipher } from '@countersign/kernel/cipher';
import { newId } from '@countersign/kernel/id';
import { createTestDatabases } from '@countersign/runtime/testing';
import t, { test } from 'tap';
import { secretPlace } from '../deliver.js';
import { newTenant } from './hook.js';
import { callOptions, startNotifier } from './notifier.js';
import { startReceiver } from './receiver.js';

const formerKey = Buffer.alloc(32, 9);
const databases = await createTestDatabases('notifier');
const notifier = await startNotifier({
  urls: databases.urls,
  namespace: newId('event'),
  env: { SECRETS_KEYS_PREVIOUS: formerKey.toString('base64') },
});
const { call, context } = notifier;
const pool = context.stores.sandbox.pool;
const receiver = await startReceiver();

t.teardown(async () => {
  await receiver.close();
  await notifier.stop();
  await databases.drop();
});

async function create() {
  const [id, tenant] = [newId('webhook'), newTenant()];
  const request = { id, tenant, url: receiver.url, eventTypes: ['*'] };
  const { signingSecret } = await call.CreateWebhook(request, callOptions);
  return { id, tenant, first: signingSecret };
}

type Created = Awaited<ReturnType<typeof create>>;

async function rotated({ id, tenant }: Created): Promise<string> {
  return (await call.RotateWebhookSecret({ id, tenant }, callOptions)).signingSecret;
}

/** The signatures of an event that is delivered now: those it has, and those of the secrets. */
async function signed({ id, tenant, first }: Created, second: string) {
  const before = receiver.received.length;
  await call.TestWebhook({ id, tenant, eventType: 'gate.fired' }, callOptions);
  await receiver.count(before + 1);
  const got = receiver.received[before];
  return {
    header: got?.headers['x-service-signature'],
    one: got?.signatureUnder(first),
    two: got?.signatureUnder(second),
  };
}

test('after a rotation both secrets sign for a day, then only the new one', async (t) => {
  const webhook = await create();
  const second = await rotated(webhook);
  t.not(second, webhook.first);
  const pass = (time: string) =>
    pool.query(
      `UPDATE webhook SET previous_secret_until = previous_secret_until - $2::interval
       WHERE id = $1`,
      [webhook.id, time],
    );
  for (const time of ['0', '23 hours']) {
    await pass(time);
    const during = await signed(webhook, second);
    t.equal(during.header, `${during.two},${during.one}`, time);
  }
  await pass('1 hour');
  const later = await signed(webhook, second);
  t.equal(later.header, later.two);
});

test('a secret that a former key encrypts signs for its day as well', async (t) => {
  const webhook = await create();
  const { bytes, keyId } = new Cipher([formerKey]).seal(webhook.first, secretPlace(webhook.id));
  await pool.query('UPDATE webhook SET secret = $2, secret_key_id = $3 WHERE id = $1', [
    ...[webhook.id, bytes, keyId],
  ]);
  const second = await rotated(webhook);
  const during = await signed(webhook, second);
  t.equal(during.header, `${during.two},${during.one}`);
});
