import { randomUUID } from 'node:crypto';
import { until } from '@countersign/runtime/testing';
import type { Stack } from '@countersign/tools/stack';
import t, { type Test } from 'tap';
import { type Answer, type Api, api } from './api.js';
import { startInstallation } from './contract-proxy.js';
import { openMailbox } from './mailbox.js';
import { patience } from './patience.js';
import { expectStatus, newTenant, onboardBody, paymentBody, type Tenant } from './tenant.js';

const mailbox = await openMailbox();
const env = { ...mailbox.env, RATE_LIMIT_MULTIPLIER: '0', ...patience };
const stack = await startInstallation({ env, seed: false });
t.teardown(async () => {
  await stack.stop();
  await mailbox.close();
});
const tenant = await newTenant(stack);

interface Human {
  principalId: string;
  agentId: string;
  mandateId: string;
  email: string;
  acting: Api;
}

/** A Principal who answers challenges; codes are sent by e-mail if `method` says so. */
async function newHuman(
  on: Pick<Stack, 'baseUrl'>,
  { client, programId, apiKey }: Tenant,
  method: 'email' | null,
): Promise<Human> {
  const body = onboardBody(programId, { max_amount_per_transaction: '1000.00' });
  const email = `${randomUUID()}@example.com`;
  const profile = { display_name: 'Ada Example', email };
  const principal = { ...body.principal, profile, ...(method && { step_up: { method } }) };
  const created = expectStatus(await client.post('/api/v1/onboard', { ...body, principal }), 201);
  const principalId = created.principal.id;
  const acting = api(on.baseUrl, { 'x-api-key': apiKey, 'x-principal-id': principalId });
  return { principalId, agentId: created.agent.id, mandateId: created.mandate.id, email, acting };
}

interface Challenge {
  id: string;
  answer: Answer['body'];
  confirm(as?: Api): Promise<Answer>;
  deny(reason?: string, as?: Api): Promise<Answer>;
  verify(code: string, as?: Api): Promise<Answer>;
  entry(): Promise<Answer['body']>;
}

/** The amount that requires a human in the sandbox. */
async function newChallenge({ acting, agentId }: Human): Promise<Challenge> {
  const body = paymentBody(agentId, { amount: '666.02' });
  const answer = expectStatus(await acting.post('/api/v1/authorize', body), 200);
  const id: string = answer.authorization_id;
  const path = `/api/v1/authorize/step-up/${id}`;
  return {
    id,
    answer,
    confirm: (as = acting) => as.post(`${path}/confirm`),
    deny: (reason, as = acting) => as.post(`${path}/deny`, reason ? { reason } : undefined),
    verify: (code, as = acting) => as.post(`${path}/verify-otp`, { code }),
    entry: async () => expectStatus(await acting.get(`/api/v1/authorize/log/${id}`), 200),
  };
}

async function pendingIds({ acting }: Human): Promise<string[]> {
  const page = expectStatus(await acting.get('/api/v1/authorize/step-up/pending'), 200);
  return page.data.map((item: { authorization_id: string }) => item.authorization_id);
}

async function reverse({ acting }: Human, { id }: Challenge): Promise<Answer['body']> {
  const body = { authorization_id: id };
  return expectStatus(await acting.post('/api/v1/authorize/reverse', body), 200);
}

function usedToday({ acting, mandateId }: Human): Promise<string> {
  const budget = acting.get(`/api/v1/mandates/${mandateId}/budget`);
  return budget.then((answer) => expectStatus(answer, 200).day.amount_used);
}

function isRefused(t: Test, answer: Answer, message = /./): void {
  t.equal(answer.status, 400, answer.text);
  t.match(answer.body.error, { code: 'STEP_UP_REQUIRED', message });
}

function wrongFor(code: string): string {
  return code === '111111' ? '222222' : '111111';
}

t.test('a challenge waits for a human, with nothing reserved', async (t) => {
  const human = await newHuman(stack, tenant, null);
  const first = await newChallenge(human);
  t.match(first.answer, { decision: 'STEP_UP', reason_codes: ['AMOUNT_STEP_UP'] });
  t.equal(first.answer.daily_amount_used, '0.00');
  t.equal(await usedToday(human), '0.00');
  const second = await newChallenge(human);
  t.same(await pendingIds(human), [second.id, first.id], 'newest first');
  const path = '/api/v1/authorize/step-up/pending?limit=1';
  const page = expectStatus(await human.acting.get(path), 200);
  t.match(page.data, [{ agent_id: human.agentId, amount: 666.02, currency: 'USD' }]);
  t.match(page.data, [{ merchant_name: 'Corner Shop', reason_codes: ['AMOUNT_STEP_UP'] }]);
  const [item] = page.data;
  t.equal(Date.parse(item.expires_at) - Date.parse(item.created_at), 300_000);
  t.match(page.pagination, { has_more: true, limit: 1 });
  const rest = await human.acting.get(`${path}&cursor=${page.pagination.next_cursor}`);
  t.equal(expectStatus(rest, 200).data[0].authorization_id, first.id);
  t.match((await first.entry()).step_up, {
    status: 'PENDING',
    resolved_by: null,
    reason: null,
  });
  t.match(await reverse(human, first), { reversed: false, released_amount: 0 });
});

t.test('confirmed once, it is an approval, and can be reversed', async (t) => {
  const human = await newHuman(stack, tenant, null);
  const challenge = await newChallenge(human);
  const confirmed = expectStatus(await challenge.confirm(), 200);
  t.match(confirmed, { success: true, authorization_id: challenge.id });
  t.equal(confirmed.confirmed_by, human.principalId);
  t.equal(await usedToday(human), '666.02');
  t.match(await challenge.entry(), {
    decision: 'APPROVE',
    reason_codes: ['STEP_UP_CONFIRMED'],
    decision_history: [{ decision: 'STEP_UP' }, { decision: 'APPROVE', by: human.principalId }],
    step_up: { status: 'CONFIRMED', resolved_at: confirmed.confirmed_at },
  });
  t.same(await pendingIds(human), []);
  isRefused(t, await challenge.confirm(), /already answered/);
  isRefused(t, await challenge.deny(), /answered already/);
  isRefused(t, await challenge.verify('000000'), /answered already/);
  t.equal(await usedToday(human), '666.02');
  t.match(await reverse(human, challenge), { reversed: true, released_amount: 666.02 });
  t.equal(await usedToday(human), '0.00');
  t.match(await reverse(human, challenge), { already_reversed: true });

  const contested = await newChallenge(human);
  const answers = await Promise.all(Array.from({ length: 6 }, () => contested.confirm()));
  t.equal(answers.filter(({ status }) => status === 200).length, 1);
  t.equal(await usedToday(human), '666.02', 'six at once reserve once');
});

t.test('it is confirmed under its mandate, unless another has replaced that', async (t) => {
  const human = await newHuman(stack, tenant, null);
  const { acting, agentId, mandateId } = human;
  const challenge = await newChallenge(human);
  const valid_until = new Date(Date.now() + 3 * 366 * 86_400_000).toISOString();
  const newer = { agent_id: agentId, valid_until, max_amount_per_transaction: '1.00' };
  const granted: string[] = [];
  for (let i = 0; i < 10; i += 1) {
    granted.push(expectStatus(await acting.post('/api/v1/mandates', newer), 201).id);
  }
  isRefused(t, await challenge.confirm(), /NO_ACTIVE_MANDATE/);
  t.match((await challenge.entry()).step_up, { status: 'PENDING' });
  t.equal(await usedToday(human), '0.00');
  for (const id of granted) {
    expectStatus(await acting.call('DELETE', `/api/v1/mandates/${id}`), 200);
  }
  expectStatus(await challenge.confirm(), 200);
  t.match(await challenge.entry(), { decision: 'APPROVE', mandate_id: mandateId });
  t.equal(await usedToday(human), '666.02');
});

t.test('where a limit keeps it from being confirmed, the human is told what remains', async (t) => {
  const human = await newHuman(stack, tenant, null);
  const { acting, agentId: agent_id } = human;
  const valid_until = new Date(Date.now() + 86_400_000).toISOString();
  const limits = { max_amount_per_transaction: '1000.00', max_daily_amount: '1000.00' };
  const mandate = { agent_id, valid_until, ...limits };
  expectStatus(await acting.post('/api/v1/mandates', mandate), 201);
  const challenges = [await newChallenge(human), await newChallenge(human)] as const;
  expectStatus(await challenges[0].confirm(), 200);
  isRefused(
    t,
    await challenges[1].confirm(),
    /DAILY_AMOUNT_EXCEEDED: The amount exceeds the remaining 333.98 USD of .* 00:00 UTC/,
  );
  t.match((await challenges[1].entry()).step_up, { status: 'PENDING' });
});

t.test('denied, it is a decline, with or without a reason', async (t) => {
  const human = await newHuman(stack, tenant, null);
  for (const reason of ['Not my purchase', undefined]) {
    const challenge = await newChallenge(human);
    const denied = expectStatus(await challenge.deny(reason), 200);
    t.same(denied, {
      success: true,
      authorization_id: challenge.id,
      denied_by: human.principalId,
      new_decision: 'DECLINE',
    });
    t.match(await challenge.entry(), {
      decision: 'DECLINE',
      reason_codes: ['STEP_UP_DENIED'],
      step_up: { status: 'DENIED', resolved_by: human.principalId, reason: reason ?? null },
    });
    isRefused(t, await challenge.deny());
    isRefused(t, await challenge.confirm());
    t.match(await reverse(human, challenge), { reversed: false });
  }
  const long = await (await newChallenge(human)).deny('x'.repeat(501));
  t.equal(long.status, 422);
  t.equal(await usedToday(human), '0.00');
});

t.test('the code from the mail confirms, and a wrong one does not', async (t) => {
  const human = await newHuman(stack, tenant, 'email');
  const by = `otp:${human.principalId}`;
  const challenge = await newChallenge(human);
  const code = await mailbox.codeFor(human.email);
  isRefused(t, await challenge.verify(wrongFor(code)), /code is wrong/);
  for (const malformed of ['12345', '1234567', 'abcdef']) {
    t.equal((await challenge.verify(malformed)).status, 422);
  }
  t.match((await challenge.entry()).step_up, { status: 'PENDING' });

  const status = `/api/v1/agents/${human.agentId}/status`;
  const suspend = { body: { status: 'SUSPENDED', reason: 'Odd' } };
  expectStatus(await human.acting.call('PATCH', status, suspend), 200);
  isRefused(t, await challenge.verify(code), /AGENT_SUSPENDED/);
  t.equal((await challenge.entry()).decision, 'STEP_UP');
  const activate = { body: { status: 'ACTIVE', reason: 'Fine' } };
  expectStatus(await human.acting.call('PATCH', status, activate), 200);

  const confirmed = expectStatus(await challenge.verify(code), 200);
  t.match(confirmed, { success: true, authorization_id: challenge.id, confirmed_by: by });
  isRefused(t, await challenge.verify(code), /answered already/);
  t.match(await challenge.entry(), {
    decision: 'APPROVE',
    step_up: { status: 'CONFIRMED', resolved_by: by },
  });
  t.equal(await usedToday(human), '666.02');
});

t.test('the fifth wrong code denies the challenge', async (t) => {
  const human = await newHuman(stack, tenant, 'email');
  const challenge = await newChallenge(human);
  const code = await mailbox.codeFor(human.email);
  const guesses = await Promise.all(
    Array.from({ length: 12 }, () => challenge.verify(wrongFor(code))),
  );
  t.same(new Set(guesses.map(({ status }) => status)), new Set([400]));
  t.equal(guesses.filter(({ text }) => text.includes('code is wrong')).length, 4);
  isRefused(t, await challenge.verify(code), /answered already/);
  t.match(await challenge.entry(), {
    decision: 'DECLINE',
    reason_codes: ['STEP_UP_DENIED'],
    step_up: { status: 'DENIED', resolved_by: `otp:${human.principalId}`, reason: /too often/ },
  });
});

t.test('000000 works in sandbox where a method is configured', async (t) => {
  const human = await newHuman(stack, tenant, 'email');
  const challenge = await newChallenge(human);
  const confirmed = expectStatus(await challenge.verify('000000'), 200);
  t.equal(confirmed.confirmed_by, `otp:${human.principalId}`);
  const without = await newHuman(stack, tenant, null);
  const silent = await newChallenge(without);
  for (const code of ['000000', '123456', '123456', '123456', '123456', '123456']) {
    isRefused(t, await silent.verify(code), /only be confirmed or denied/);
  }
  expectStatus(await silent.confirm(), 200);
});

t.test("another's challenge can be neither answered nor guessed at", async (t) => {
  const human = await newHuman(stack, tenant, 'email');
  const challenge = await newChallenge(human);
  const code = await mailbox.codeFor(human.email);
  const sibling = await newHuman(stack, tenant, 'email');
  const stranger = await newHuman(stack, await newTenant(stack), 'email');
  for (const [{ acting }, status, errorCode] of [
    [sibling, 403, 'TENANT_MISMATCH'],
    [stranger, 404, 'NOT_FOUND'],
  ] as const) {
    const answers = [
      await challenge.confirm(acting),
      await challenge.deny('No', acting),
      await challenge.verify(code, acting),
      await challenge.verify('000000', acting),
    ];
    for (let i = 0; i < 5; i += 1) answers.push(await challenge.verify(wrongFor(code), acting));
    for (const answer of answers) {
      t.equal(answer.status, status, answer.text);
      t.equal(answer.body.error.code, errorCode);
    }
  }
  t.same(await pendingIds(sibling), []);
  t.match((await challenge.entry()).step_up, { status: 'PENDING' });
  expectStatus(await challenge.verify(code), 200);
});

t.test('after its time a challenge takes no answer', async (t) => {
  await stack.stop();
  const brief = await startInstallation({
    env: { ...env, STEP_UP_WINDOW_SECONDS: '3' },
    seed: false,
  });
  t.teardown(() => brief.stop());
  const human = await newHuman(brief, await newTenant(brief), 'email');
  const challenge = await newChallenge(human);
  const code = await mailbox.codeFor(human.email);
  const expired = await until(async () => {
    const entry = await challenge.entry();
    return entry.step_up.status === 'EXPIRED' && entry;
  });
  t.equal(expired.decision, 'STEP_UP');
  for (const answer of [
    await challenge.verify(code),
    await challenge.verify('000000'),
    await challenge.confirm(),
    await challenge.deny('Too late'),
  ]) {
    isRefused(t, answer, /expired/);
  }
  t.match(await challenge.entry(), { decision: 'STEP_UP', step_up: { resolved_by: null } });
  t.equal(await usedToday(human), '0.00');
});
