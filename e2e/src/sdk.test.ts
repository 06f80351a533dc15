/** The published client library, against the whole installation. */
import { inspect } from 'node:util';
import { until } from '@countersign/runtime/testing';
import {
  AuthenticationError,
  ConflictError,
  Countersign,
  NotFoundError,
  PermissionError,
  RequestError,
  ValidationError,
  verifyAttestation,
  verifyWebhook,
} from '@countersign/sdk';
import t from 'tap';
import { startInstallation } from './contract-proxy.js';
import { patience } from './patience.js';
import { startReceiver } from './receiver.js';
import { expectStatus, newTenant, onboardBody, operator } from './tenant.js';

const receiver = await startReceiver();
const stack = await startInstallation({
  env: { ...patience, RATE_LIMIT_MULTIPLIER: '0', WEBHOOK_ALLOWED_HOSTS: receiver.host },
  seed: false,
});
const { baseUrl } = stack;
t.teardown(() => Promise.all([stack.stop(), receiver.close()]));
const tenant = await newTenant(stack, 'sandbox', { fraud_triage_enabled: true });
const client = new Countersign({ baseUrl, apiKey: tenant.apiKey, timeoutMs: 30_000 });

const limits = { max_amount_per_transaction: '1000.00', max_daily_amount: '2000.00' };

/** A Principal with an agent and a mandate, and a client acting for it. */
async function newSpender() {
  const body = onboardBody(tenant.programId, limits);
  const onboarded = await client.onboarding.onboard({
    ...body,
    principal: { ...body.principal, step_up: { method: 'email' } },
  } as never);
  const acting = client.actingFor(onboarded.principal.id);
  await acting.thresholds.update({ velocity_burst_count: 1_000_000 });
  return { ...onboarded, acting, agentId: onboarded.agent.id };
}

function payment(agentId: string, amount: string, task = `task-${amount}`) {
  return {
    agent_id: agentId,
    amount,
    currency: 'USD',
    merchant_name: 'Corner Shop',
    intent_context: { task_reference: task },
  };
}

t.test('a decision is a value, and its type says what it has', async (t) => {
  const { acting, agentId, mandate } = await newSpender();
  const approval = await acting.authorize(payment(agentId, '19.90'));
  t.equal(approval.decision, 'APPROVE');
  if (approval.decision === 'APPROVE') t.equal(approval.mandate_id.length, mandate.id.length);
  t.notOk(approval.replayed);
  const again = { ...payment(agentId, '19.90'), idempotency_key: approval.idempotency_key };
  const replay = await acting.authorize(again);
  t.ok(replay.replayed);
  t.equal(replay.authorization_id, approval.authorization_id);

  const decline = await acting.authorize(payment(agentId, '1000.01'));
  t.match(decline, { decision: 'DECLINE', reason_codes: ['AMOUNT_EXCEEDS_PER_TXN'] });
  const reasons = await client.catalog.reasonCodes();
  t.match(
    reasons.find(({ code }) => code === decline.reason_codes[0]),
    { retry: 'change_request' },
  );
  const unknown = await client.authorize(payment('agt_01k5a3v7q8e9f0g1h2j3k4m5n6', '1.00'));
  t.match(unknown, { decision: 'DECLINE', reason_codes: ['AGENT_NOT_FOUND'], mandate_id: null });

  const simulated = await acting.simulate(payment(agentId, '1000.00'));
  t.match(simulated, { decision: 'APPROVE', simulated: true });
  const { day } = await acting.mandates.budget(mandate.id);
  t.has(day, { amount_used: '19.90', amount_remaining: '1980.10' });
  const reversal = await acting.reverse({ authorization_id: approval.authorization_id });
  t.has(reversal, { reversed: true, released_amount: '19.9', already_reversed: false });
});

t.test('the log is iterated over all of its pages', async (t) => {
  const { acting, agentId } = await newSpender();
  const ids: string[] = [];
  for (const amount of ['1.10', '2.20', '3.30', '4.40', '5.50']) {
    ids.unshift((await acting.authorize(payment(agentId, amount))).authorization_id);
  }
  const seen: string[] = [];
  for await (const entry of acting.log.list(agentId, { limit: 2 })) {
    t.type(entry.amount, 'string');
    seen.push(entry.id);
  }
  t.same(seen, ids);
  const first = await acting.log.list(agentId, { limit: 2 }).page();
  t.equal(first.items.length, 2);
  const { crypto, ...entry } = await acting.log.get(ids[0] ?? '');
  t.equal(crypto, null, 'no transfer, which lists do not name');
  t.same({ ...entry, amount: '5.5', reversed_amount: '0' }, first.items[0]);
  t.ok((await acting.log.explain(entry.id)).reproduced);
});

t.test('a payment waits for its human', async (t) => {
  const { acting, agentId } = await newSpender();
  const asked = await acting.authorize(payment(agentId, '666.02'));
  t.equal(asked.decision, 'STEP_UP');
  const [pending] = await acting.stepUps.pending().take(10);
  t.has(pending, { authorization_id: asked.authorization_id, amount: '666.02' });
  const answered = acting.stepUps.answered(asked.authorization_id, { everyMs: 20 });
  await t.rejects(acting.stepUps.verifyCode(asked.authorization_id, '123456'), RequestError);
  await acting.stepUps.verifyCode(asked.authorization_id, '000000');
  const confirmed = await answered;
  t.match(confirmed, { decision: 'APPROVE', step_up: { status: 'CONFIRMED' } });
  t.match(await acting.verifyAttestation(confirmed), { prev: asked.authorization_id });

  const other = await acting.authorize(payment(agentId, '666.02', 'another'));
  await acting.stepUps.deny(other.authorization_id, { reason: 'Not mine' });
  const denied = await acting.stepUps.answered(other.authorization_id);
  t.equal(denied.decision, 'DECLINE');
  t.match(await acting.verifyAttestation(denied), { dec: { decision: 'STEP_UP' } });
  const code = { code: 'STEP_UP_REQUIRED' };
  await t.rejects(acting.stepUps.confirm(other.authorization_id), code);
});

t.test(
  'a delivery that the service made is verified, and one changed on its way is not',
  async (t) => {
    const { acting, agentId } = await newSpender();
    const { webhook, signing_secret: secret } = await acting.webhooks.create({
      url: receiver.url,
      event_types: ['authorization.decline'],
    });
    const declined = await acting.authorize(payment(agentId, '1000.01'));
    const { raw, headers } = await until(() => receiver.deliveries.at(-1), {
      timeoutMs: 30_000,
      what: 'a delivery',
    });
    const event = verifyWebhook(raw, headers, secret);
    t.equal(event.event, 'authorization.decline');
    if (event.event === 'authorization.decline') {
      t.equal(event.data.authorization_id, declined.authorization_id);
      t.same(event.data.reason_codes, ['AMOUNT_EXCEEDS_PER_TXN']);
      t.equal(event.data.amount, '1000.01');
    }
    const forged = raw.replace('1000.01', '1.01');
    t.throws(() => verifyWebhook(forged, headers, secret), { code: 'signature_invalid' });

    const rotated = await acting.webhooks.rotateSecret(webhook.id);
    await acting.webhooks.test(webhook.id, { eventType: 'authorization.decline' });
    const second = await until(() => receiver.deliveries[1], {
      timeoutMs: 30_000,
      what: 'a sample',
    });
    for (const either of [secret, rotated.signing_secret]) {
      t.equal(verifyWebhook(second.raw, second.headers, either).data.test, true);
    }
    const deliveries = await acting.webhooks.deliveries(webhook.id).take(5);
    t.equal(deliveries.length, 2);
    t.match(await acting.webhooks.update(webhook.id, { description: 'Ours' }), { active: true });
    t.match(await acting.webhooks.get(webhook.id), { description: 'Ours' });
    t.equal((await acting.webhooks.list().take(5)).length, 1);
    await acting.webhooks.delete(webhook.id);
    await t.rejects(acting.webhooks.get(webhook.id), NotFoundError);
  },
);

t.test('an attestation holds for its decision, its request and its environment', async (t) => {
  const { acting, agentId } = await newSpender();
  const asked = payment(agentId, '19.90');
  const approval = await acting.authorize(asked);
  const claims = await acting.verifyAttestation(approval, { request: asked });
  t.has(claims, { env: 'sandbox', jti: approval.authorization_id, dec: { amount: '19.90' } });
  const { keys } = await client.catalog.publicKeys();
  const kept = { keys: keys.map(({ jwk }) => jwk) };
  const issuer = `${baseUrl}/sandbox`;
  t.ok(await verifyAttestation(await acting.log.get(approval.authorization_id), kept, { issuer }));
  const [listed] = await acting.log.list(agentId).take(1);
  t.ok(listed && (await verifyAttestation(listed, kept, { issuer })), 'which says 19.9');
  const told = { code: 'decision_mismatch' };
  const declined = await acting.authorize(payment(agentId, '1000.01'));
  const turned = { ...declined, decision: 'APPROVE' as const };
  await t.rejects(acting.verifyAttestation(turned), told);
  await t.rejects(verifyAttestation(approval, kept, { issuer: baseUrl }), /does not hold/);
});

t.test('a token opens what its key does, and each fault has its class', async (t) => {
  const { acting, agentId, principal } = await newSpender();
  const path = `/internal/v1/clients/${tenant.clientId}/credentials`;
  const issue = async (fields: object) =>
    expectStatus(await operator(stack).post(path, { environment: 'sandbox', ...fields }), 201);
  const issued = await issue({ kind: 'oauth_client', scopes: 'authorize' });
  const oauth = { clientId: issued.oauth_client_id, clientSecret: issued.client_secret };
  const principalId = principal.id;
  const byToken = new Countersign({ baseUrl, oauth, principalId, timeoutMs: 30_000 });
  t.match(await byToken.authorize(payment(agentId, '1.00')), { decision: 'APPROVE' });
  await t.rejects(byToken.agents.get(agentId), PermissionError);
  await t.rejects(byToken.onboarding.listAgents(principalId), AuthenticationError);
  const revoke = `/internal/v1/credentials/${issued.id}/revoke`;
  expectStatus(await operator(stack).post(revoke), 200);
  const ended = await byToken.authorize(payment(agentId, '1.00')).catch((error) => error);
  t.type(ended, AuthenticationError);
  t.notMatch(inspect(ended), oauth.clientSecret);

  await t.rejects(acting.log.get('auth_01k5a3v7q8e9f0g1h2j3k4m5n6'), NotFoundError);
  const wrong = await acting.authorize(payment(agentId, '1.001')).catch((error) => error);
  t.type(wrong, ValidationError);
  t.match(wrong, { fields: [{ field: 'amount', type: 'too_many_decimals' }] });
  t.match(wrong.requestId, /^req_/);
  t.match(wrong.idempotencyKey, /^[\w-]{36}$/);
  const stranger = new Countersign({ baseUrl, apiKey: `svc_test_${'x'.repeat(49)}` });
  await t.rejects(stranger.agents.list().take(1), { code: 'INVALID_API_KEY' });
});

t.test('a creation that is asked for twice exists once', async (t) => {
  const body = onboardBody(tenant.programId) as Parameters<typeof client.onboarding.onboard>[0];
  const idempotencyKey = 'onboard-the-same-twice';
  const first = await client.onboarding.onboard(body, { idempotencyKey });
  const second = await client.onboarding.onboard(body, { idempotencyKey });
  t.same(second, first);
  t.has(first.mandate.limits, { max_amount_per_transaction: '500', max_daily_amount: '10000' });
  await t.rejects(client.onboarding.onboard(body), ConflictError, 'the reference is taken');
  const other = { ...body, agent: { name: 'Another' } };
  const reuse = { code: 'idempotency_key_reuse' };
  await t.rejects(client.onboarding.onboard(other, { idempotencyKey }), reuse);
});

t.test('agents, mandates and programs are where they are said to be', async (t) => {
  const { acting, agentId, principal, mandate } = await newSpender();
  const { onboarding } = acting;
  t.match(await onboarding.getPrincipal(principal.id), { verification_status: 'VERIFIED' });
  t.same((await onboarding.enroll(principal.id, tenant.programId)).programs, [tenant.programId]);
  const added = await onboarding.addAgent(principal.id, { name: 'Second' });
  const granted = await onboarding.grantMandate(added.id, {
    rails: ['card'],
    limits: { max_amount_per_transaction: '5.00', max_daily_amount: '10.00' },
  });
  t.has(granted.limits, { max_amount_per_transaction: '5', max_monthly_amount: null });
  t.equal((await onboarding.listAgents(principal.id)).count, 2);
  t.match(await onboarding.createSandboxKey(principal.id), { api_key: /^svc_test_/ });
  t.match((await onboarding.listPrograms().take(5))[0], { id: tenant.programId });
  t.match(await onboarding.getProgram(tenant.programId), { name: 'Purchasing' });

  const agent = await acting.agents.create({ display_name: 'Third', capabilities: ['TRANSFER'] });
  t.equal((await acting.agents.list({ limit: 2 }).take(10)).length, 3);
  t.match(await acting.agents.get(agent.id), { display_name: 'Third' });
  t.match(await acting.agents.metrics(agent.id), { total_transactions: 0 });
  const suspended = { status: 'SUSPENDED', reason: 'Test' } as const;
  t.match(await acting.agents.setStatus(agent.id, suspended), { status: 'SUSPENDED' });

  const created = await acting.mandates.create({
    agent_id: agentId,
    valid_until: new Date(Date.now() + 86_400_000).toISOString(),
    max_amount_per_transaction: '700.00',
    max_daily_amount: '700.00',
  });
  t.has(await acting.mandates.get(created.id), { max_amount_per_transaction: '700.00' });
  const listed = await acting.mandates.list(agentId, { status: 'ACTIVE' });
  t.same(
    listed.map((each) => [each.id, each.max_amount_per_transaction]),
    [
      [created.id, '700'],
      [mandate.id, '1000'],
    ],
  );
  t.equal((await acting.mandates.revoke(created.id)).status, 'REVOKED');
  t.match((await acting.thresholds.get()).overrides, { velocity_burst_count: 1_000_000 });
  const change = { step_up_amount_threshold: '1.00' };
  t.match(await acting.thresholds.preview(change, { agentId }), {
    fields_changed: ['step_up_amount_threshold'],
    considered: 0,
  });
  t.match(await acting.thresholds.reset(), { status: 'reset' });
});

t.test('what becomes of a payment is reported and resolved', async (t) => {
  const { acting, agentId } = await newSpender();
  const suspect = await acting.authorize(payment(agentId, '666.01'));
  t.same(suspect.reason_codes, ['FRAUD_SUSPECTED']);
  const [opened] = await until(
    async () => {
      const cases = await acting.cases.list().take(5);
      return cases.length > 0 && cases;
    },
    { timeoutMs: 30_000, what: 'a case' },
  );
  t.has(opened, { amount: '666.01', status: 'OPEN' });
  t.match(await acting.cases.get(opened?.id ?? ''), { severity: /./ });
  const resolved = await acting.cases.resolve(opened?.id ?? '', 'INCONCLUSIVE');
  t.equal(resolved.resolution, 'INCONCLUSIVE');

  const report = {
    authorization_id: suspect.authorization_id,
    outcome_type: 'MERCHANT_COMPLAINT',
    reported_at: new Date().toISOString(),
    reported_by: 'MERCHANT',
  } as const;
  const outcome = await acting.outcomes.report(report);
  t.equal((await acting.outcomes.report(report)).id, outcome.id);
  t.match(await acting.outcomes.reportAll([report]), { duplicate: 1, total: 1 });
  for (const amount of ['666.03', '666.01']) await acting.authorize(payment(agentId, amount));
  const [pattern] = await until(
    async () => {
      const patterns = await acting.cases.patterns().take(5);
      return patterns.length > 0 && patterns;
    },
    { timeoutMs: 30_000, what: 'a pattern' },
  );
  t.match(pattern, { agent_id: agentId, recommended_action: 'REVIEW_AGENT' });
  t.equal((await acting.outcomes.list(suspect.authorization_id).take(5))[0]?.id, outcome.id);
  await t.rejects(acting.settlements.list(suspect.authorization_id), PermissionError);
  const settlement = { authorization_id: suspect.authorization_id, tx_hash: `0x${'a'.repeat(64)}` };
  await t.rejects(acting.settlements.report(settlement), PermissionError, 'no chain is set up');

  t.match(await client.catalog.health(), { status: /ok|degraded/ });
  t.equal((await client.catalog.webhookEvents()).wildcard, '*');
});
