import { Fault } from '@countersign/kernel/fault';
import { newId } from '@countersign/kernel/id';
import { createPool } from '@countersign/runtime/database';
import { createLog } from '@countersign/runtime/log';
import { sweep } from '@countersign/runtime/retention';
import { createTestDatabases, until } from '@countersign/runtime/testing';
import t, { test } from 'tap';
import { type CodeSender, NothingSent, RecipientRefused } from '../codes/send-code.js';
import { sweeps } from '../sweep.js';
import type { Tenant } from './hook.js';
import { startIdentity } from './identity.js';
import { startMailServer } from './mail-server.js';
import {
  callOptions,
  notifierEnv,
  publish,
  type RunningNotifier,
  startNotifier,
} from './notifier.js';
import { startProcess } from './process.js';
import { type StepUp, stepUpOf } from './step-up.js';

const log = createLog({ service: 'test', level: 'silent' });
const databases = await createTestDatabases('notifier');
const identity = await startIdentity(log);
const mail = await startMailServer();
const options = {
  urls: databases.urls,
  namespace: newId('event'),
  env: {
    IDENTITY_ADDRESS: identity.address,
    SMTP_URL: mail.url,
    SMTP_FROM: 'codes@countersign.example',
    CODES_PER_CLIENT_HOUR_SANDBOX: '40',
  },
};
const notifier = await startNotifier(options);
const pool = createPool({ url: databases.urls.sandbox, size: 2, log });

t.teardown(async () => {
  await notifier.stop();
  await pool.end();
  await identity.close();
  await mail.close();
  await databases.drop();
});

async function open(of: Tenant[], by: RunningNotifier = notifier): Promise<StepUp[]> {
  const events = of.map((tenant) => stepUpOf(tenant));
  for (const event of events) await publish(by, event);
  return events;
}

async function statusesOf(events: StepUp[]): Promise<string[]> {
  const { rows } = await pool.query<{ status: string }>(
    'SELECT status FROM one_time_code WHERE authorization_id = ANY ($1)',
    [events.map(({ data }) => data.authorizationId)],
  );
  return rows.map(({ status }) => status);
}

/** How many were sent, once each has reached a final status. */
async function sentOf(events: StepUp[]): Promise<number> {
  const statuses = await until(
    async () => {
      const found = await statusesOf(events);
      return found.length === events.length && !found.includes('PENDING') ? found : null;
    },
    { what: 'all codes to be sent or given up' },
  );
  return statuses.filter((status) => status === 'SENT').length;
}

async function countOf({ context }: RunningNotifier, outcome: string): Promise<number> {
  const text = await context.metrics.registry.getSingleMetricAsString(
    'countersign_one_time_codes_total',
  );
  const found = new RegExp(`environment="sandbox",outcome="${outcome}"[^}]*\\} (\\d+)`).exec(text);
  return Number(found?.[1] ?? 0);
}

type Verifying = Pick<RunningNotifier, 'call'>;

function verify(event: StepUp, code: string, by: Verifying = notifier) {
  const { clientId, principalId, data } = event;
  const request = {
    tenant: { clientId: clientId ?? '', principalId: principalId ?? '' },
    authorizationId: data.authorizationId,
    code,
    expiresAt: data.stepUpExpiresAt ?? '',
    amount: data.amount,
    currency: data.currency,
  };
  return by.call.VerifyCode(request, callOptions);
}

/** Shifts the times of what was sent into the past. */
async function letPass(time: string): Promise<void> {
  await pool.query(
    `UPDATE code_address SET last_at = last_at - $1::interval,
       sent_at = ARRAY(SELECT s - $1::interval FROM unnest(sent_at) s)`,
    [time],
  );
  await pool.query('UPDATE code_client SET since = since - $1::interval', [time]);
}

function many(count: number, email: string): Tenant[] {
  return Array.from({ length: count }, () => identity.principal('email', { email }));
}

test('at most five codes are sent to an address in ten minutes', async (t) => {
  const email = 'ada@example.com';
  const second = await startNotifier(options);
  const ways = [email, 'Ada@Example.com', 'ada+1@example.com', 'ada+2@example.com'];
  const events = await open(ways.flatMap((way) => many(3, way)));
  t.equal(await sentOf(events), 5, 'by both replicas together');
  const arrived = mail.mails.filter(({ to }) => /^ada(\+\d)?@example\.com$/i.test(to[0] ?? ''));
  t.equal(arrived.length, 5);
  const counted = await Promise.all([notifier, second].map((of) => countOf(of, 'address_limit')));
  t.equal((counted[0] ?? 0) + (counted[1] ?? 0), events.length - 5);
  await second.stop();

  t.equal(
    await sentOf(await open(many(2, 'grace@example.com'))),
    2,
    'other addresses are not affected',
  );
  await letPass('9 minutes');
  t.equal(await sentOf(await open(many(1, email))), 0);
  await letPass('1 minute');
  t.equal(await sentOf(await open(many(7, email))), 5);
});

test('the case of an address that begins with a plus is ignored too', async (t) => {
  const ways = ['+eve@example.com', '+Eve@example.com', '+EVE+1@Example.com'];
  t.equal(await sentOf(await open(ways.flatMap((way) => many(3, way)))), 5);
});

test('at most twenty codes are sent to an address in a day', async (t) => {
  const email = 'day@example.com';
  for (let i = 0; i < 4; i += 1) {
    t.equal(await sentOf(await open(many(6, email))), 5);
    await letPass('1 hour');
  }
  t.equal(await sentOf(await open(many(2, email))), 0);
  await letPass('21 hours');
  t.equal(await sentOf(await open(many(7, email))), 5);
});

test('a code that exceeds a limit does not affect its challenge', async (t) => {
  const email = 'open@example.com';
  const events = await open(many(6, email));
  await sentOf(events);
  const { rows } = await pool.query<{ authorization_id: string }>(
    `SELECT authorization_id FROM one_time_code
     WHERE authorization_id = ANY ($1) AND status = 'FAILED'`,
    [events.map(({ data }) => data.authorizationId)],
  );
  const unsent = events.find(({ data }) => data.authorizationId === rows[0]?.authorization_id);
  t.equal(rows.length, 1);
  if (!unsent) throw new Error('all codes were sent');
  t.match(await verify(unsent, '111111'), { outcome: 'wrong' });
  t.match(await verify(unsent, '000000'), { outcome: 'correct' });
  const tries = 'SELECT tries FROM one_time_code WHERE authorization_id = $1';
  t.same((await pool.query(tries, [unsent.data.authorizationId])).rows, [{ tries: 1 }]);
});

test('the number of codes per Client and hour is limited over all addresses', async (t) => {
  const clientId = newId('client');
  const of = (count: number) =>
    Array.from({ length: count }, () => identity.principal('email', { clientId }));
  t.equal(await sentOf(await open(of(45))), 40);
  t.equal(await countOf(notifier, 'client_limit'), 5);
  t.equal(
    await sentOf(await open([identity.principal('email')])),
    1,
    'other Clients have their own limit',
  );
  const { rows } = await pool.query('SELECT count(*)::int AS held FROM code_address');
  const before = rows[0]?.held;
  t.equal(await sentOf(await open(of(3))), 0);
  const after = await pool.query('SELECT count(*)::int AS held FROM code_address');
  t.equal(
    after.rows[0]?.held,
    before,
    'nothing is stored about an address to which no code was sent',
  );
  await letPass('1 hour');
  t.equal(await sentOf(await open(of(42))), 40, 'the next hour has the same limit');
});

test('a code that the limit of an address refuses does not count for its Client', async (t) => {
  const clientId = newId('client');
  const to = (count: number, contact: { email?: string } = {}) =>
    Array.from({ length: count }, () => identity.principal('email', { clientId, ...contact }));
  t.equal(await sentOf(await open(to(40, { email: 'often@example.com' }))), 5);
  t.equal(await sentOf(await open(to(35))), 35);
});

test('a code that the relay refused is not counted, one without a response is', async (t) => {
  await notifier.stop();
  let refuses = true;
  let requests = 0;
  const codes: CodeSender = {
    async send() {
      requests += 1;
      const about = { code: 'SERVICE_UNAVAILABLE', message: 'no' };
      throw refuses ? new NothingSent(about) : new Fault('unavailable', about);
    },
    close: () => {},
  };
  const failing = await startNotifier({ ...options, codes });
  const retryUntil = (done: () => Promise<boolean>) =>
    until(async () => {
      await pool.query(`UPDATE one_time_code SET next_attempt_at = now()
        WHERE status = 'PENDING' AND lease IS NULL`);
      failing.context.codeSignals.sandbox.wake();
      return done();
    });
  const refused = await open(many(1, 'refused@example.com'), failing);
  await retryUntil(async () => requests >= 12);
  t.same(await statusesOf(refused), ['PENDING']);
  refuses = false;
  requests = 0;
  await retryUntil(async () => (await statusesOf(refused)).includes('FAILED'));
  t.equal(requests, 5);
  await failing.stop();
});

test('a recipient that the relay refuses is not tried again, and counts', async (t) => {
  let requests = 0;
  const codes: CodeSender = {
    async send() {
      requests += 1;
      throw new RecipientRefused({ code: 'SERVICE_UNAVAILABLE', message: 'no such mailbox' });
    },
    close: () => {},
  };
  const failing = await startNotifier({ ...options, codes });
  t.equal(await sentOf(await open(many(7, 'nobody@example.com'), failing)), 0);
  t.equal(requests, 5);
  t.equal(await countOf(failing, 'refused'), 5);
  t.equal(await countOf(failing, 'address_limit'), 2);
  await failing.stop();
});

test('limits persist over a restart, and addresses are not logged', async (t) => {
  const [ada] = many(1, 'refused@example.com');
  const process = await startProcess(
    notifierEnv({ ...options, env: { ...options.env, LOG_LEVEL: 'trace' } }),
  );
  const event = stepUpOf(ada ?? identity.principal('email'));
  t.match(
    await verify(event, '111111', process),
    { outcome: 'wrong' },
    'an attempt creates the row as well',
  );
  t.equal(await sentOf([event]), 0);
  await until(() => process.output().includes('address_limit'));
  t.equal(await process.end(), 0);
  t.notMatch(process.output(), /refused@/);
});

test('counters are deleted after their day', async (t) => {
  const left = async () => {
    const { rows } = await pool.query(
      'SELECT (SELECT count(*) FROM code_address) + (SELECT count(*) FROM code_client) AS left',
    );
    return Number(rows[0]?.left);
  };
  await letPass('23 hours');
  const before = await left();
  await sweep(pool, sweeps(30));
  t.ok((await left()) > 0 && (await left()) < before, 'recent ones are kept');
  await letPass('2 hours');
  await sweep(pool, sweeps(30));
  t.equal(await left(), 0);
});
