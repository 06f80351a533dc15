import { createHash } from 'node:crypto';
import { newId } from '@countersign/kernel/id';
import { createPool } from '@countersign/runtime/database';
import { createLog } from '@countersign/runtime/log';
import { sweep } from '@countersign/runtime/retention';
import { createTestDatabases, until } from '@countersign/runtime/testing';
import { publishOne } from '@countersign/runtime/testing/publish-one';
import t, { type Test, test } from 'tap';
import { sweeps } from '../sweep.js';
import { createHook, type Tenant } from './hook.js';
import { startIdentity } from './identity.js';
import { startMailServer } from './mail-server.js';
import { callOptions, notifierEnv, publish, startNotifier } from './notifier.js';
import { killHard, startProcess } from './process.js';
import { startReceiver } from './receiver.js';
import { type StepUp, stepUpOf } from './step-up.js';

const log = createLog({ service: 'test', level: 'silent' });
const databases = await createTestDatabases('notifier');
const identity = await startIdentity(log);
const mail = await startMailServer();
const sms = await startReceiver();
const env = {
  IDENTITY_ADDRESS: identity.address,
  SMTP_URL: mail.url,
  SMTP_FROM: 'codes@countersign.example',
  SMS_GATEWAY_URL: sms.url,
  SMS_GATEWAY_TOKEN: 'gateway-token',
};
const options = { urls: databases.urls, namespace: newId('event'), env };
const notifier = await startNotifier(options);
const { codeSignals } = notifier.context;
// A separate pool, because one test stops the service.
const pool = createPool({ url: databases.urls.sandbox, size: 2, log });

t.teardown(async () => {
  await notifier.stop();
  await pool.end();
  await identity.close();
  await mail.close();
  await sms.close();
  await databases.drop();
});

async function openChallenge(tenant: Tenant): Promise<StepUp> {
  const event = stepUpOf(tenant);
  await publish(notifier, event);
  return event;
}

function verify({ clientId, principalId, data }: StepUp, code: string, live = false) {
  const request = {
    tenant: { clientId: clientId ?? '', principalId: principalId ?? '' },
    authorizationId: data.authorizationId,
    code,
    expiresAt: data.stepUpExpiresAt ?? '',
    amount: data.amount,
    currency: data.currency,
  };
  const environment = live ? ('live' as const) : ('sandbox' as const);
  return notifier.call.VerifyCode(request, { ...callOptions, environment });
}

/** A code different from this one and from the sandbox's. */
function wrongFor(code: string): string {
  return code === '111111' ? '222222' : '111111';
}

async function rowOf({ data }: StepUp) {
  const { rows } = await pool.query('SELECT * FROM one_time_code WHERE authorization_id = $1', [
    data.authorizationId,
  ]);
  return rows[0];
}

function statusBecomes(event: StepUp, status: string) {
  const what = `a code that is ${status}`;
  return until(async () => (await rowOf(event))?.status === status, { what });
}

/** Makes the retry, or the lease of a dead process, due immediately. */
async function makeDue({ data }: StepUp): Promise<void> {
  await pool.query('UPDATE one_time_code SET next_attempt_at = now() WHERE authorization_id = $1', [
    data.authorizationId,
  ]);
  codeSignals.sandbox.wake();
}

test('a code sent by e-mail is correct, and only its keyed hash is stored', async (t) => {
  const ada = identity.principal('email');
  const event = await openChallenge(ada);
  const { to, text, code } = await mail.mailTo(ada.email);
  t.same(to, [ada.email]);
  t.match(text, /^\d{6} confirms a payment of 12\.50 USD by your agent, until \d\d:\d\d UTC/);
  await statusBecomes(event, 'SENT');
  t.same(await verify(event, wrongFor(code)), { outcome: 'wrong' });
  t.same(await verify(event, code), { outcome: 'correct' });
  t.same(await verify(event, code), { outcome: 'correct' }, 'a correct code is not consumed');

  const row = await rowOf(event);
  t.match(row, { channel: 'email', tries: 1, attempts: 1, lease: null });
  t.equal(row.code_hash.length, 32);
  const stored = JSON.stringify({ ...row, code_hash: row.code_hash.toString('hex') });
  t.notOk(stored.includes(code) || stored.includes(ada.email));
  for (const guess of [code, `${event.data.authorizationId}${code}`]) {
    t.notOk(stored.includes(createHash('sha256').update(guess).digest('hex')), 'the hash is keyed');
  }
  const other = await openChallenge(ada);
  await mail.mailTo(ada.email, 2);
  await statusBecomes(other, 'SENT');
  await pool.query('UPDATE one_time_code SET code_hash = $2 WHERE authorization_id = $1', [
    other.data.authorizationId,
    row.code_hash,
  ]);
  t.match(await verify(other, code), { outcome: 'wrong' }, 'a hash is bound to its challenge');
});

test('five wrong attempts exhaust a code, sequential or concurrent', async (t) => {
  for (const atOnce of [false, true]) {
    const ada = identity.principal('email');
    const event = await openChallenge(ada);
    const { code } = await mail.mailTo(ada.email);
    await statusBecomes(event, 'SENT');
    const outcomes: string[] = [];
    const guess = async () => {
      outcomes.push((await verify(event, wrongFor(code))).outcome);
    };
    if (atOnce) await Promise.all(Array.from({ length: 24 }, guess));
    else for (let i = 0; i < 6; i += 1) await guess();
    t.equal(outcomes.filter((outcome) => outcome === 'wrong').length, 4);
    t.equal(outcomes.filter((outcome) => outcome === 'exhausted').length, outcomes.length - 4);
    t.equal((await rowOf(event)).tries, 5);
    t.match(
      await verify(event, code),
      { outcome: 'exhausted' },
      'the correct code is no longer accepted',
    );
    t.match(await verify(event, '000000'), { outcome: 'exhausted' });
  }
});

test('an expired challenge has no valid code, and none is sent', async (t) => {
  const ada = identity.principal('email');
  const event = await openChallenge(ada);
  const { code } = await mail.mailTo(ada.email);
  await statusBecomes(event, 'SENT');
  const expire = `UPDATE one_time_code SET expires_at = now() - $2::interval
    WHERE authorization_id = $1`;
  await pool.query(expire, [event.data.authorizationId, '1 s']);
  for (const each of [code, wrongFor(code), '000000']) {
    t.match(await verify(event, each), { outcome: 'expired' });
  }
  t.equal((await rowOf(event)).tries, 0);

  const late = stepUpOf(ada, { lastsMs: -1_000 });
  await publish(notifier, late);
  await statusBecomes(late, 'FAILED');
  t.equal(mail.mails.filter(({ to }) => to.includes(ada.email)).length, 1);

  await pool.query(expire, [event.data.authorizationId, '25 h']);
  await sweep(pool, sweeps(30));
  t.equal(await rowOf(event), undefined, 'expired rows are deleted');
  t.ok(await rowOf(late));
});

test('a challenge that expires before its code is sent gets none, and none counts', async (t) => {
  const ada = identity.principal('email');
  const event = stepUpOf(ada);
  const { authorizationId } = event.data;
  const expire = 'UPDATE one_time_code SET expires_at = now() WHERE authorization_id = $1';
  identity.beforeAnswers(() => pool.query(expire, [authorizationId]));
  await publish(notifier, event);
  await statusBecomes(event, 'FAILED');
  identity.beforeAnswers(null);
  t.match(await rowOf(event), { attempts: 1, code_hash: null });
  const counted = 'SELECT sent FROM code_client WHERE client_id = $1';
  t.same((await pool.query(counted, [ada.clientId])).rows, [{ sent: 0 }]);
  t.notOk(mail.mails.some(({ to }) => to.includes(ada.email)));
});

test('without a method no code is valid, including that of the sandbox', async (t) => {
  for (const tenant of [identity.principal(null), identity.principal('email')]) {
    const event = await openChallenge({ ...tenant, clientId: newId('client') });
    const otherPrincipal = { ...event, principalId: newId('principal') };
    await until(() => rowOf(event));
    const otherClient = { ...event, clientId: newId('client') };
    for (const other of [otherPrincipal, otherClient]) {
      t.match(await verify(other, '000000'), { outcome: 'no_code' }, 'or for another tenant');
    }
  }
  const event = await openChallenge(identity.principal(null));
  await statusBecomes(event, 'NO_METHOD');
  for (const code of ['000000', '123456']) {
    t.match(await verify(event, code), { outcome: 'no_code' });
  }
  t.equal((await rowOf(event)).tries, 0);
});

test('an attempt may precede the event; 000000 is only valid in the sandbox', async (t) => {
  const ada = identity.principal('email');
  const event = stepUpOf(ada);
  t.match(await verify(event, '111111'), { outcome: 'wrong' });
  t.match(await verify(event, '000000'), { outcome: 'correct' });
  await publish(notifier, event);
  const { code } = await mail.mailTo(ada.email);
  await statusBecomes(event, 'SENT');
  t.match(await verify(event, code), { outcome: 'correct' });
  t.equal((await rowOf(event)).tries, 1);
  t.equal(mail.mails.filter(({ to }) => to.includes(ada.email)).length, 1);
  t.match(await verify(stepUpOf(identity.principal(null)), '000000'), { outcome: 'no_code' });
  const inLive = await verify(stepUpOf(ada), '000000', true);
  t.match(inLive, { outcome: 'wrong' });
});

test('an outage of identity delays codes, but not webhooks', async (t) => {
  const ada = identity.principal('email');
  const target = await startReceiver();
  await createHook(notifier.call, { url: target.url, tenant: ada });
  identity.setUnavailable(true);
  const event = await openChallenge(ada);
  const [delivery] = await target.count(1);
  t.equal(delivery?.body.event, 'step_up.created');
  await until(async () => (await rowOf(event))?.attempts > 0);
  t.match(await verify(event, '000000').catch((error: unknown) => error), { kind: 'unavailable' });
  identity.setUnavailable(false);
  await makeDue(event);
  const { code } = await mail.mailTo(ada.email);
  t.match(await verify(event, code), { outcome: 'correct' });
  // The same event under another message id: the bus cannot deduplicate it, the inbox can.
  await publishOne(notifier.context.bus, event, newId('event'));
  const next = await openChallenge(ada);
  await mail.mailTo(ada.email, 2);
  await statusBecomes(next, 'SENT');
  t.equal(mail.mails.filter(({ to }) => to.includes(ada.email)).length, 2);
  await target.close();
});

test('what is known of a challenge is answered without identity', async (t) => {
  const [ada, grace] = [identity.principal('email'), identity.principal(null)];
  const [sent, without] = [await openChallenge(ada), await openChallenge(grace)];
  const { code } = await mail.mailTo(ada.email);
  await statusBecomes(without, 'NO_METHOD');
  identity.setUnavailable(true);
  t.teardown(() => identity.setUnavailable(false));
  t.match(await verify(sent, wrongFor(code)), { outcome: 'wrong' });
  t.match(await verify(sent, code), { outcome: 'correct' });
  t.match(await verify(without, '000000'), { outcome: 'no_code' });
  const late = await openChallenge(ada);
  await until(() => rowOf(late));
  await pool.query('UPDATE one_time_code SET expires_at = now() WHERE authorization_id = $1', [
    late.data.authorizationId,
  ]);
  t.match(await verify(late, '000000'), { outcome: 'expired' });
});

test('after a refusal of the relay a new code is sent; the last one is valid', async (t) => {
  const ada = identity.principal('email');
  mail.behave('refuse');
  const before = mail.codes.length;
  const event = await openChallenge(ada);
  await until(() => mail.codes.length > before);
  mail.behave('take');
  await until(async () => (await rowOf(event)).lease === null);
  await makeDue(event);
  const { code } = await mail.mailTo(ada.email);
  await statusBecomes(event, 'SENT');
  const refused = mail.codes[before] ?? '';
  t.not(code, refused);
  t.match(await verify(event, refused), { outcome: 'wrong' });
  t.match(await verify(event, code), { outcome: 'correct' });
});

test('no code is sent for a challenge that has been answered', async (t) => {
  await t.test('by a human', (c) => sendsNoCodeAfter(c, 'STEP_UP_DENIED'));
  await t.test('by the decline that was told in its place', (c) => sendsNoCodeAfter(c, 'VOIDED'));
});

test('no code is sent if the end of a challenge arrives before its start', async () => {
  const ada = identity.principal('email');
  const event = stepUpOf(ada);
  await amend(event, 'STEP_UP_CONFIRMED');
  await statusBecomes(event, 'FAILED');
  await publish(notifier, event);
  const next = await openChallenge(ada);
  await mail.mailTo(ada.email);
  await statusBecomes(next, 'SENT');
  t.equal((await rowOf(event)).status, 'FAILED');
  t.equal((await rowOf(event)).attempts, 0);
});

async function amend(event: StepUp, amendment: string): Promise<void> {
  const { authorizationId, amount, currency } = event.data;
  await publish(notifier, {
    ...{ ...event, id: newId('event'), type: 'authorization.amended' },
    data: { authorizationId, amendment, decision: 'DECLINE', amount, currency },
  } as never);
}

async function sendsNoCodeAfter(t: Test, end: string): Promise<void> {
  const ada = identity.principal('email');
  identity.setUnavailable(true);
  const event = await openChallenge(ada);
  await until(async () => (await rowOf(event))?.attempts > 0);
  await amend(event, 'REVERSED');
  await amend(event, end);
  await statusBecomes(event, 'FAILED');
  identity.setUnavailable(false);
  const next = await openChallenge(ada);
  await mail.mailTo(ada.email);
  await statusBecomes(next, 'SENT');
  t.equal(mail.mails.filter(({ to }) => to.includes(ada.email)).length, 1);
}

test('a code is sent by SMS through the gateway, with its token', async (t) => {
  const ada = identity.principal('sms');
  const event = await openChallenge(ada);
  const [request] = await sms.count(1);
  t.equal(request?.headers.authorization, 'Bearer gateway-token');
  const body = request?.body as unknown as { to: string; text: string };
  t.equal(body.to, ada.phone);
  await statusBecomes(event, 'SENT');
  t.match(await verify(event, body.text.slice(0, 6)), { outcome: 'correct' });
  t.equal((await rowOf(event)).channel, 'sms');
});

test('a process killed while sending repeats after its restart; no code is logged', async (t) => {
  const processEnv = notifierEnv({
    ...options,
    env: { ...env, LOG_LEVEL: 'trace' },
    namespace: newId('event'),
    urls: databases.urls,
  });
  // Stops the instance of the other tests, so that only the processes take jobs.
  await notifier.stop();
  const ada = identity.principal('email');
  const before = mail.codes.length;
  mail.behave('hang');
  const first = await startProcess(processEnv);
  const event = stepUpOf(ada);
  const request = {
    tenant: { clientId: ada.clientId, principalId: ada.principalId },
    authorizationId: event.data.authorizationId,
    expiresAt: event.data.stepUpExpiresAt ?? '',
    amount: '12.5',
    currency: 'USD',
  };
  await first.call.VerifyCode({ ...request, code: '111111' }, callOptions);
  await until(() => mail.codes.length > before);
  await killHard(first);

  await makeDue(event);
  mail.behave('take');
  const second = await startProcess(processEnv);
  const { code } = await mail.mailTo(ada.email);
  t.not(code, mail.codes[before]);
  const answer = await second.call.VerifyCode({ ...request, code }, callOptions);
  t.match(answer, { outcome: 'correct' });
  t.equal((await rowOf(event)).tries, 1, 'the earlier attempt still counts');
  t.equal(await second.end(), 0);
  const logged = first.output() + second.output();
  t.match(logged, /one-time code/);
  for (const each of [...mail.codes.slice(before), ada.email, '111111', 'gateway-token']) {
    t.notMatch(logged, new RegExp(`\\b${each}\\b`));
  }
});

t.end();
