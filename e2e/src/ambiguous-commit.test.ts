/**
 * The ledger commits but its answer is lost: the caller was told DECLINE, so DECLINE must be the
 * permanent answer of its id and key, nothing may stay reserved, and the webhook must be sent once.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { until } from '@countersign/runtime/testing';
import { waitingForLocks } from '@countersign/runtime/testing/locks';
import { startStack } from '@countersign/tools/stack';
import { Client } from 'pg';
import t, { type Test } from 'tap';
import type { Answer } from './api.js';
import { readBus } from './bus-reader.js';
import { check, ledgerDatabase, type SeenAnswer, untilAccounted } from './checker.js';
import { startReceiver } from './receiver.js';
import { patiently } from './retries.js';
import { expectStatus, newSpender, newTenant, paymentBody, type Spender } from './tenant.js';

const receiver = await startReceiver();
const namespace = `ambiguous_${randomBytes(5).toString('hex')}`;
const stack = await startStack({
  env: {
    NAMESPACE: namespace,
    RATE_LIMIT_MULTIPLIER: '0',
    WEBHOOK_ALLOWED_HOSTS: receiver.host,
    WEBHOOK_RETRY_BASE_MS: '50',
    // Long enough for a test to stop the commit half-way on a busy machine. The commit timeout is
    // longer than the gateway's deadline.
    AUTHORIZE_DEADLINE_MS: '5000',
    DECISION_DEADLINE_MS: '4500',
    COMMIT_TIMEOUT_MS: '25000',
  },
  seed: false,
});
const databaseUrl = ledgerDatabase(stack);
const database = new Client({ connectionString: databaseUrl });
await database.connect();
t.teardown(async () => {
  await database.end();
  await stack.stop();
  await receiver.close();
});
const tenant = await patiently(() => newTenant(stack));
const answers: SeenAnswer[] = [];
const patient = { timeoutMs: 30_000 };

/** A payment that can be sent repeatedly; every answer is kept for the checker. */
function payment({ acting, agentId, principalId }: Spender, amount: string) {
  const key = randomUUID();
  const body = paymentBody(agentId, { amount, idempotency_key: key });
  const send = async (): Promise<Answer> => {
    const sentAt = Date.now();
    const answer = await acting.post('/api/v1/authorize', body);
    const { status, text } = answer;
    answers.push({ principalId, key, status, text, sentAt, receivedAt: Date.now() });
    return answer;
  };
  return { key, send };
}

async function firstRow(sql: string, values: unknown[] = []) {
  return (await database.query(sql, values)).rows[0];
}

/**
 * Locks rows that a commit needs, until released; everything before the lock has then been done.
 */
async function hold(sql: string, values: unknown[] = []): Promise<() => Promise<void>> {
  const holder = new Client({ connectionString: databaseUrl });
  await holder.connect();
  await holder.query('BEGIN');
  await holder.query(sql, values);
  return () => holder.end();
}

function untilCommitWaits(): Promise<unknown> {
  const waits = async () => (await waitingForLocks(database, '%commit_proposals%')) > 0;
  return until(waits, { ...patient, what: 'a commit that waits' });
}

async function newListener(): Promise<Spender> {
  const terms = { max_amount_per_transaction: '1000.00' };
  const spender = await patiently(() => newSpender(stack, tenant, terms));
  const hook = { url: receiver.url, event_types: ['authorization.decline'] };
  await patiently(async () =>
    expectStatus(await spender.acting.post('/api/v1/webhooks', hook), 201),
  );
  await patiently(async () => {
    const { body, text } = await payment(spender, '1.00').send();
    if (body.decision !== 'APPROVE') throw new Error(text);
  });
  return spender;
}

function heardOf(id: string): string[] {
  const deliveries = receiver.deliveries.filter(
    ({ envelope }) => envelope.data.authorization_id === id,
  );
  return deliveries.map(({ envelope }) => `${envelope.event} ${envelope.id}`);
}

/** Asserts everything that must hold for a DECLINE given while the ledger decided otherwise. */
async function expectDecline(t: Test, spender: Spender, told: Answer): Promise<void> {
  const { acting, mandateId } = spender;
  const id = told.body.authorization_id;
  await untilAccounted({ databaseUrl, answers });
  const read = (path: string) => patiently(async () => expectStatus(await acting.get(path), 200));
  t.match(await read(`/api/v1/authorize/log/${id}`), {
    decision: 'DECLINE',
    reason_codes: ['SYSTEM_FAIL_SAFE'],
  });
  const budget = await read(`/api/v1/mandates/${mandateId}/budget`);
  t.has(budget.day, { amount_used: '1.00', count_used: 1 }, 'nothing of it is reserved');
  await until(() => heardOf(id).length > 0, { ...patient, what: 'the webhook' });
  // A later decline has arrived as well, so a second delivery of the first would have arrived too.
  const later = (await payment(spender, '1000.01').send()).body;
  await until(() => heardOf(later.authorization_id).length > 0, patient);
  t.match([...new Set(heardOf(id))], [/^authorization\.decline /]);
}

for (const [amount, decided] of [
  ['20.00', 'APPROVE'],
  ['666.02', 'STEP_UP'],
] as const) {
  t.test(`${decided} is committed, and the ledger stops before it says so`, async (t) => {
    const spender = await newListener();
    const { key, send } = payment(spender, amount);
    const letGo = await hold('LOCK TABLE outbox IN SHARE MODE');
    const answer = send();
    await untilCommitWaits();
    stack.kill('ledger', 'SIGSTOP');
    await letGo();
    const onRecord = await until(
      () => firstRow('SELECT * FROM authorization_record WHERE idempotency_key = $1', [key]),
      { ...patient, what: 'the commit' },
    );
    t.equal(onRecord.decision, decided, 'it is on record before anybody was told');
    const told = await answer;
    t.match(told.body, { decision: 'DECLINE', reason_codes: ['SYSTEM_FAIL_SAFE'] });
    t.equal(told.body.authorization_id, onRecord.id);
    t.equal((await send()).text, told.text, 'a retry while it is stopped');
    stack.kill('ledger', 'SIGCONT');
    await expectDecline(t, spender, told);
    const again = await send();
    t.equal(again.text, told.text, 'a retry when all is back');
    t.equal(again.headers.get('idempotent-replayed'), 'true');
  });
}

t.test('a commit is held up until the caller has been answered', async (t) => {
  const spender = await newListener();
  const { mandateId } = spender;
  const { send } = payment(spender, '20.00');
  const row = 'SELECT FROM mandate_usage WHERE mandate_id = $1 FOR UPDATE';
  const letGo = await hold(row, [mandateId]);
  const answer = send();
  await untilCommitWaits();
  const told = await answer;
  t.match(told.body, { decision: 'DECLINE', reason_codes: ['SYSTEM_FAIL_SAFE'] });
  await letGo();
  await expectDecline(t, spender, told);
  t.equal((await send()).text, told.text, 'a retry');
});

t.test('the checker agrees', async (t) => {
  await untilAccounted({ databaseUrl, answers });
  const delivered = await readBus(stack.urls.nats, { namespace });
  const { violations, figures } = await check({ databaseUrl, answers, delivered });
  t.same(violations, []);
  t.match(figures, { safeUnrecorded: 0, overruled: 0 });
  t.ok(figures.voids >= 2, 'what was committed was voided');
});
