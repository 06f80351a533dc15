/**
 * Fraud triage: a suspicious payment opens a case, a human resolves it, and both are published and
 * counted.
 */
import { until } from '@countersign/runtime/testing';
import t from 'tap';
import { startInstallation } from './contract-proxy.js';
import { patience } from './patience.js';
import { isAuthentic, startReceiver } from './receiver.js';
import {
  expectStatus,
  newSpender,
  newTenant,
  operator,
  paymentBody,
  type Spender,
} from './tenant.js';

const receiver = await startReceiver();
const stack = await startInstallation({
  env: {
    ...patience,
    RATE_LIMIT_MULTIPLIER: '0',
    WEBHOOK_ALLOWED_HOSTS: receiver.host,
  },
  seed: false,
});
t.teardown(async () => {
  await stack.stop();
  await receiver.close();
});
const patient = { timeoutMs: 30_000 };
const watched = await newTenant(stack, 'sandbox', { fraud_triage_enabled: true });
const cases = '/api/v1/cases';
const nobodys = `${cases}/frd_01k5a3v7q8e9f0g1h2j3k4m5n6`;

async function pay({ acting, agentId }: Spender, amount: string) {
  return expectStatus(
    await acting.post('/api/v1/authorize', paymentBody(agentId, { amount })),
    200,
  );
}

/** Makes a suspicious payment and waits for its case. */
async function suspect(spender: Spender) {
  const { authorization_id: id } = await pay(spender, '666.01');
  const found = await until(async () => {
    const { data } = expectStatus(await spender.acting.get(cases), 200);
    return data.find((each: { authorization_id: string }) => each.authorization_id === id);
  }, patient);
  return found as { id: string; authorization_id: string };
}

function resolve({ acting }: Spender, id: string, resolution: string) {
  return acting.post(`${cases}/${id}/resolve`, { resolution });
}

async function outcomesOf({ acting }: Spender, authorizationId: string) {
  const { data } = expectStatus(await acting.get(`/api/v1/outcomes/${authorizationId}`), 200);
  return data as Array<Record<string, unknown>>;
}

t.test('suspected, told, listed, resolved, told, counted', async (t) => {
  const spender = await newSpender(stack, watched, { max_amount_per_transaction: '1000.00' });
  const { acting, agentId, principalId } = spender;
  const event_types = ['fraud.triage.suspected_created', 'fraud.triage.resolved'];
  const registered = await acting.post('/api/v1/webhooks', { url: receiver.url, event_types });
  const { signing_secret } = expectStatus(registered, 201);
  await pay(spender, '10.00');
  const paid = await pay(spender, '666.01');
  t.match(paid, { decision: 'DECLINE', reason_codes: ['FRAUD_SUSPECTED'] });
  const { authorization_id } = paid;
  const told = (event: string) => receiver.deliveries.find((each) => each.envelope.event === event);
  await until(() => told('fraud.triage.suspected_created'), patient);
  const opened = told('fraud.triage.suspected_created');
  t.ok(opened && isAuthentic(opened, signing_secret));
  const { case_id: caseId, signals, ...suspicion } = opened?.envelope.data ?? {};
  const case_id = String(caseId);
  t.same(suspicion, {
    authorization_id,
    agent_id: agentId,
    severity: 'CRITICAL',
    amount: '666.01',
    currency: 'USD',
  });
  t.match(case_id, /^frd_[0-9a-z]{26}$/);
  t.match(signals, [{ code: 'FRAUD_SUSPECTED', score: 1 }, { code: 'RISK_SCORE' }, {}]);

  const listed = expectStatus(await acting.get(cases), 200);
  t.match(listed.data, [{ id: case_id, amount: 666.01, status: 'OPEN', resolution: null }]);
  const one = expectStatus(await acting.get(`${cases}/${case_id}`), 200);
  t.has(one, { id: case_id, amount: '666.01', signals });
  t.equal((await resolve(spender, case_id, 'MAYBE')).status, 422);
  const done = expectStatus(await resolve(spender, case_id, 'CONFIRMED_FRAUD'), 200);
  t.match(done, { status: 'RESOLVED', resolution: 'CONFIRMED_FRAUD', resolved_by: principalId });
  t.same(expectStatus(await resolve(spender, case_id, 'CONFIRMED_FRAUD'), 200), done);
  const other = await resolve(spender, case_id, 'FALSE_POSITIVE');
  t.match(other, { status: 422, body: { error: { code: 'VALIDATION_ERROR' } } });
  t.equal(other.body.error.details.errors[0].type, 'already_resolved');

  await until(() => told('fraud.triage.resolved'), patient);
  const resolved = told('fraud.triage.resolved');
  t.ok(resolved && isAuthentic(resolved, signing_secret));
  t.same(resolved?.envelope.data, {
    case_id,
    authorization_id,
    agent_id: agentId,
    resolution: 'CONFIRMED_FRAUD',
    resolved_by: principalId,
  });
  const isCounted = async (): Promise<boolean> =>
    (await outcomesOf(spender, authorization_id)).length > 0;
  await until(isCounted, patient);
  t.match(await outcomesOf(spender, authorization_id), [
    { outcome_type: 'CONFIRMED_FRAUD', reported_by: 'INTERNAL' },
  ]);
  const inRed = async (): Promise<boolean> => (await pay(spender, '11.00')).kya_score < 0.2;
  await until(inRed, { ...patient, what: 'the score of a confirmed fraud' });
  t.equal(receiver.deliveries.length, 2, 'each told once');
});

t.test('an agent that looks taken over is told of once', async (t) => {
  const spender = await newSpender(stack, watched, { max_amount_per_transaction: '1000.00' });
  const event_types = ['fraud.pattern.agto_suspected'];
  const url = `${receiver.url}/patterns`;
  const registered = await spender.acting.post('/api/v1/webhooks', { url, event_types });
  const { signing_secret } = expectStatus(registered, 201);
  const ids: string[] = [];
  for (const amount of ['666.01', '666.03', '666.01']) {
    ids.push((await pay(spender, amount)).authorization_id);
  }
  const told = () =>
    receiver.deliveries.filter(({ envelope }) => event_types.includes(envelope.event));
  await until(() => told().length > 0, patient);
  const [pattern] = told();
  t.ok(pattern && isAuthentic(pattern, signing_secret));
  const { pattern_id, authorization_ids, ...said } = pattern?.envelope.data ?? {};
  t.same(said, {
    agent_id: spender.agentId,
    confidence: 0.748,
    indicators: ['FRAUD_SUSPICIONS', 'INTENT_ANOMALIES'],
    recommended_action: 'REVIEW_AGENT',
  });
  t.match(pattern_id, /^pat_[0-9a-z]{26}$/);
  t.same([...(authorization_ids as string[])].sort(), ids.sort());
  const listed = expectStatus(await spender.acting.get('/api/v1/fraud-patterns'), 200);
  const { created_at, ...again } = listed.data[0];
  t.equal(listed.data.length, 1);
  t.strictSame(again, { id: pattern_id, ...said, authorization_ids }, 'who missed it can list it');
  const all = await operator(stack).get('/internal/v1/sandbox/fraud-patterns');
  t.match(expectStatus(all, 200).data, [{ id: pattern_id, principal_id: spender.principalId }]);
  const { authorization_id } = await suspect(spender);
  t.ok(authorization_id, 'more is suspected of the agent');
  t.equal(told().length, 1, 'and said once');
});

t.test('an outcome that says what it was resolves the case', async (t) => {
  const spender = await newSpender(stack, watched);
  const { id, authorization_id } = await suspect(spender);
  const report = {
    authorization_id,
    outcome_type: 'PRINCIPAL_CONFIRMED_LEGITIMATE',
    reported_at: new Date().toISOString(),
    reported_by: 'PRINCIPAL',
  };
  expectStatus(await spender.acting.post('/api/v1/outcomes', report), 201);
  const read = async () => expectStatus(await spender.acting.get(`${cases}/${id}`), 200);
  await until(async () => (await read()).status === 'RESOLVED', patient);
  t.match(await read(), { resolution: 'FALSE_POSITIVE', resolved_by: 'PRINCIPAL' });
  t.equal((await outcomesOf(spender, authorization_id)).length, 1, 'and adds none of its own');
});

t.test('whose a case is, and who has any', async (t) => {
  const owner = await newSpender(stack, watched);
  const { id } = await suspect(owner);
  const sibling = await newSpender(stack, watched);
  const foreign = await newTenant(stack, 'sandbox', { fraud_triage_enabled: true });
  const stranger = await newSpender(stack, foreign);
  for (const [other, status] of [
    [sibling, 403],
    [stranger, 404],
  ] as const) {
    t.same(expectStatus(await other.acting.get(cases), 200).data, []);
    t.equal((await other.acting.get(`${cases}/${id}`)).status, status);
    t.equal((await resolve(other, id, 'INCONCLUSIVE')).status, status);
  }
  // Naming another tenant's agent is declined like naming an unknown one.
  const claimed = await pay({ ...stranger, agentId: owner.agentId }, '666.01');
  t.match(claimed.reason_codes, ['AGENT_NOT_FOUND']);
  await suspect(stranger);
  t.equal(expectStatus(await stranger.acting.get(cases), 200).data.length, 1, 'of its own agent');
});

t.test('without the flag there is nothing, and it can be switched either way', async (t) => {
  const plain = await newTenant(stack);
  const spender = await newSpender(stack, plain);
  const missing = async (): Promise<void> => {
    for (const path of [cases, nobodys]) {
      t.match(await spender.acting.get(path), {
        status: 404,
        body: { error: { code: 'NOT_FOUND' } },
      });
    }
    t.equal((await resolve(spender, nobodys.slice(cases.length + 1), 'INCONCLUSIVE')).status, 404);
  };
  const body = { url: receiver.url, event_types: ['fraud.triage.resolved'] };
  await missing();
  t.equal((await spender.acting.post('/api/v1/webhooks', body)).status, 422);
  await pay(spender, '666.01');
  const put = async (fraud_triage_enabled: boolean) =>
    expectStatus(
      await operator(stack).call('PATCH', `/internal/v1/sandbox/programs/${plain.programId}`, {
        body: { fraud_triage_enabled },
      }),
      200,
    );
  await put(true);
  await suspect(spender);
  const { data } = expectStatus(await spender.acting.get(cases), 200);
  t.equal(data.length, 1, 'only what was suspected since');
  await put(false);
  await missing();
});
