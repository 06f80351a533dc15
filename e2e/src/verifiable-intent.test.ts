import { randomInt, randomUUID } from 'node:crypto';
import { immediateChain, presentedAgain } from '@countersign/runtime/testing/intent-chain';
import { newChainKey } from '@countersign/runtime/testing/sd-jwt';
import { decodeJwt } from 'jose';
import t from 'tap';
import type { Answer } from './api.js';
import { startInstallation } from './contract-proxy.js';
import { chainOf, type Delegate, newDelegate, recurring } from './intent.js';
import { patience } from './patience.js';
import { expectStatus, newTenant, operator, paymentBody } from './tenant.js';

const stack = await startInstallation({
  env: { ...patience, RATE_LIMIT_MULTIPLIER: '0' },
  seed: false,
});
t.teardown(() => stack.stop());
const tenant = await newTenant(stack);
const admin = operator(stack);

type ViChain = Record<string, string>;
type Fields = Record<string, unknown>;

/**
 * Each payment with a new key gets a new task, because repetitions count towards the risk score as
 * soon as earlier payments are reflected in it.
 */
async function pay(
  { acting, agentId }: Delegate,
  viChain: ViChain,
  fields: Fields = {},
): Promise<Answer['body']> {
  const task = fields.idempotency_key ?? randomUUID();
  const body = paymentBody(agentId, {
    merchant_id: 'm-1001',
    merchant_name: 'Corner shop',
    vi_chain: viChain,
    intent_context: { task_reference: task },
    ...fields,
  });
  return expectStatus(await acting.post('/api/v1/authorize', body), 200);
}

t.test('a payment within what its user signed is approved, attested and logged', async (t) => {
  const delegate = await newDelegate(stack, tenant);
  const { viChain } = chainOf(delegate);
  const answer = await pay(delegate, viChain);
  t.match(answer, { decision: 'APPROVE', vi_verified: true, vi_mode: 'AUTONOMOUS' });
  const { dec } = decodeJwt<{ dec: Fields }>(answer.attestation.jws);
  t.match(dec, { vi: { verified: true, mode: 'AUTONOMOUS', reference: /^[\w-]{43}$/ } });
  const path = `/api/v1/authorize/log/${answer.authorization_id}`;
  t.match(expectStatus(await delegate.acting.get(path), 200), { vi_verified: true });
  const explained = expectStatus(await delegate.acting.get(`${path}/explain`), 200);
  t.match(explained, { reproduced: true, inputs: { intent: { verified: true, codes: [] } } });

  const evidence = `/internal/v1/sandbox/authorizations/${answer.authorization_id}/vi-chain`;
  t.same(expectStatus(await admin.get(evidence), 200).vi_chain, viChain);
  t.equal((await admin.get(evidence.replace('sandbox', 'live'))).status, 404);

  const immediate = immediateChain({ ...delegate.terms });
  t.match(await pay(delegate, immediate.viChain), {
    decision: 'APPROVE',
    vi_verified: true,
    vi_mode: 'IMMEDIATE',
  });
});

t.test('a presentation counts once, a repeat of its request is a replay', async (t) => {
  const delegate = await newDelegate(stack, tenant);
  const { viChain } = chainOf(delegate, { constraints: recurring(9, 100_000) });
  const key = { idempotency_key: 'order-2026-0042' };
  const first = await pay(delegate, viChain, key);
  t.equal(first.decision, 'APPROVE');
  t.same(await pay(delegate, viChain, key), first);
  t.match(await pay(delegate, viChain), {
    decision: 'DECLINE',
    reason_codes: ['VI_NONCE_REPLAY'],
    vi_verified: false,
    vi_mode: 'AUTONOMOUS',
  });
});

t.test('a mandate is used up by one payment, and free when that is reversed', async (t) => {
  const delegate = await newDelegate(stack, tenant);
  const built = chainOf(delegate);
  const first = await pay(delegate, built.viChain);
  const second = await pay(delegate, presentedAgain(built));
  t.match(second, { decision: 'DECLINE', reason_codes: ['VI_MANDATE_CONSUMED'] });
  const reversal = { authorization_id: first.authorization_id };
  expectStatus(await delegate.acting.post('/api/v1/authorize/reverse', reversal), 200);
  t.match(await pay(delegate, presentedAgain(built)), { decision: 'APPROVE', vi_verified: true });
});

t.test('a budget and a number of payments hold over all of them', async (t) => {
  const delegate = await newDelegate(stack, tenant);
  const byBudget = chainOf(delegate, { constraints: recurring(9, 2_500) });
  const answers = [await pay(delegate, byBudget.viChain)];
  for (let n = 0; n < 2; n += 1) answers.push(await pay(delegate, presentedAgain(byBudget)));
  t.same(
    answers.map(({ decision, reason_codes: codes }) => [decision, ...codes]),
    [['APPROVE'], ['APPROVE'], ['DECLINE', 'VI_BUDGET_EXCEEDED']],
  );
  const byCount = chainOf(delegate, { constraints: recurring(1, 100_000) });
  t.equal((await pay(delegate, byCount.viChain)).decision, 'APPROVE');
  t.match(await pay(delegate, presentedAgain(byCount)), {
    reason_codes: ['VI_OCCURRENCES_EXCEEDED'],
  });
});

t.test('of many payments at once with one mandate one is approved', async (t) => {
  const delegate = await newDelegate(stack, tenant);
  const built = chainOf(delegate);
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => pay(delegate, presentedAgain(built))),
  );
  t.equal(answers.filter(({ decision }) => decision === 'APPROVE').length, 1);
  const refused = answers.filter(({ decision }) => decision === 'DECLINE');
  t.ok(refused.every(({ reason_codes: codes }) => codes.includes('VI_MANDATE_CONSUMED')));
  t.equal(refused.length, 11);
});

t.test(
  'what does not fit is declined by its code, what cannot be known asks a human',
  async (t) => {
    const delegate = await newDelegate(stack, tenant);
    const mismatch = await pay(delegate, chainOf(delegate).viChain, { amount: '10.01' });
    t.match(mismatch, { decision: 'DECLINE', reason_codes: ['VI_TRANSACTION_MISMATCH'] });
    const { keys } = chainOf(delegate).terms;
    const stolen = chainOf(delegate, { keys: { ...keys, agent: newChainKey('agt-2') } });
    t.match(await pay(delegate, stolen.viChain), {
      decision: 'DECLINE',
      reason_codes: ['VI_AGENT_KEY_MISMATCH'],
    });
    const forged = chainOf(delegate, {
      keys: { ...keys, issuer: { ...newChainKey(keys.issuer.kid), kid: keys.issuer.kid } },
    });
    const { reason_codes: codes } = await pay(delegate, forged.viChain);
    t.equal(codes[0], 'VI_SIGNATURE_INVALID');
    const { agentId, acting } = await newDelegate(stack, tenant);
    const unknown = chainOf(delegate, { issuer: 'https://nobody.example' });
    t.match(await pay({ ...delegate, agentId, acting }, unknown.viChain), {
      decision: 'STEP_UP',
      reason_codes: ['VI_ISSUER_UNTRUSTED'],
      vi_verified: false,
      vi_mode: null,
    });
  },
);

t.test('the first user speaks for a Principal, others when the operator says so', async (t) => {
  const delegate = await newDelegate(stack, tenant);
  const { principalId, terms } = delegate;
  t.equal((await pay(delegate, chainOf(delegate).viChain)).decision, 'APPROVE');
  const other = () => chainOf(delegate, { subject: 'user-2' }).viChain;
  t.match(await pay(delegate, other()), {
    decision: 'DECLINE',
    reason_codes: ['VI_SUBJECT_MISMATCH'],
  });
  const path = `/internal/v1/sandbox/principals/${principalId}/vi-subjects`;
  const named = { issuer: terms.issuer, subject: 'user-2' };
  t.match(expectStatus(await admin.call('PUT', path, { body: named }), 200), {
    ...named,
    how: 'explicit',
    authorization_id: null,
  });
  t.equal((await pay(delegate, other())).decision, 'APPROVE');
  const { data } = expectStatus(await admin.get(path), 200);
  t.same(
    data.map(({ subject, how }: Fields) => [subject, how]).sort(),
    [
      ['user-2', 'explicit'],
      [terms.subject, 'first_use'],
    ].sort(),
  );
  const query = new URLSearchParams(named as Record<string, string>);
  t.equal((await admin.call('DELETE', `${path}?${query}`)).status, 204);
  t.match(await pay(delegate, other()), { reason_codes: ['VI_SUBJECT_MISMATCH'] });
  const nobody = path.replace(principalId, `prn_${'0'.repeat(26)}`);
  t.equal((await admin.call('PUT', nobody, { body: named })).status, 404);
  t.equal((await admin.call('PUT', path, { body: {} })).status, 422);
  const widest = { issuer: uncompressible(255), subject: uncompressible(255) };
  t.match(expectStatus(await admin.call('PUT', path, { body: widest }), 200), widest);
  const wider = { issuer: uncompressible(256), subject: uncompressible(256) };
  t.equal((await admin.call('PUT', path, { body: wider })).status, 422);
  const actions = expectStatus(await admin.get('/internal/v1/audit-events?limit=50'), 200).data;
  for (const action of ['vi_subject.put', 'vi_subject.list', 'vi_subject.delete']) {
    t.ok(
      actions.some((event: Fields) => event.action === action),
      action,
    );
  }
  const deleted = actions.find((event: Fields) => event.action === 'vi_subject.delete');
  t.same(deleted?.body, { query: named }, 'and whose it was');
  t.equal((await admin.call('DELETE', `${path}?issuer=a&subject=%00`)).status, 422);
  const after = expectStatus(await admin.get('/internal/v1/audit-events?limit=5'), 200).data;
  const refused = after.find(({ status }: Fields) => status === 422);
  t.match(refused, { action: 'vi_subject.delete', body: null });
});

/** The largest value that PostgreSQL must store in an index. */
function uncompressible(length: number): string {
  const codes = Array.from({ length }, () => randomInt(0x4e00, 0x9fa5));
  return String.fromCodePoint(...codes);
}

t.test('a simulation verifies and uses nothing up', async (t) => {
  const delegate = await newDelegate(stack, tenant);
  const { viChain } = chainOf(delegate);
  const bought = { merchant_id: 'm-1001', merchant_name: 'Corner shop', vi_chain: viChain };
  const body = paymentBody(delegate.agentId, bought);
  for (let n = 0; n < 2; n += 1) {
    const simulated = await delegate.acting.post('/api/v1/authorize/simulate', body);
    t.match(expectStatus(simulated, 200), { decision: 'APPROVE', vi_verified: true });
  }
  t.match(await pay(delegate, viChain), { decision: 'APPROVE', vi_verified: true });
});
