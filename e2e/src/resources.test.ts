/** Chapter "Resources and their fields": all fields present, no others, each of its type. */

import t from 'tap';
import { api } from './api.js';
import { startInstallation } from './contract-proxy.js';
import { patience } from './patience.js';
import {
  actingPrincipal,
  agentStatus,
  authorization,
  logEntry,
  onboardingAgent,
  onboardingMandate,
  outcome,
  page,
  principal,
  runtimeAgent,
  runtimeMandate,
  singleLogEntry,
  trustLevel,
  webhook,
  words,
} from './resource-shapes.js';
import * as is from './shape.js';
import { expectStatus, newSpender, newTenant, onboardBody, paymentBody } from './tenant.js';

const hookHost = '127.0.0.1:9';
const stack = await startInstallation({
  env: { ...patience, RATE_LIMIT_MULTIPLIER: '0', WEBHOOK_ALLOWED_HOSTS: hookHost },
  seed: false,
});
t.teardown(() => stack.stop());
const tenant = await newTenant(stack);
const spender = await newSpender(stack, tenant, { max_amount_per_transaction: '1000.00' });
const { acting, agentId } = spender;

t.test('what onboarding answers', async (t) => {
  const { client, programId } = tenant;
  const both = expectStatus(await client.post('/api/v1/onboard', onboardBody(programId)), 201);
  t.same(is.misfits(both, { principal, agent: onboardingAgent, mandate: onboardingMandate }), []);
  const { client_customer_ref: _, ...unnamed } = onboardBody(programId).principal;
  const registered = expectStatus(await client.post('/api/v1/principals', unnamed), 201);
  t.same(is.misfits(registered, principal), []);
  t.equal(registered.client_customer_ref, null);
  const pending = expectStatus(
    await client.post('/api/v1/principals', {
      ...unnamed,
      verification: { type: 'KYB', mode: 'platform_provider' },
    }),
    202,
  );
  const session = {
    id: is.id('vs'),
    type: is.exactly('KYB'),
    provider: is.text,
    status: is.exactly('REQUIRES_INPUT'),
    url: is.text,
    expires_at: is.time,
    created_at: is.time,
  };
  t.same(is.misfits(pending, { ...principal, verification_session: session }), []);
  const agents = `/api/v1/principals/${both.principal.id}/agents`;
  const added = expectStatus(await client.post(agents, { name: 'Second' }), 201);
  t.same(is.misfits(added, onboardingAgent), []);
  const listed = expectStatus(await client.get(agents), 200);
  const item = {
    id: is.id('agt'),
    name: is.text,
    status: agentStatus,
    trust_level: trustLevel,
    kya_score: is.orNull(is.number),
  };
  const list = { principal_id: is.id('prn'), agents: is.listOf(item), count: is.exactly(2) };
  t.same(is.misfits(listed, list), []);
  const crypto = expectStatus(
    await client.post(`/api/v1/agents/${added.id}/mandates`, {
      rails: ['card', 'crypto'],
      limits: {
        max_amount_per_transaction: 5,
        max_daily_amount: '10.50',
        max_monthly_amount: 99,
        currency: 'USD',
      },
      crypto: { chains: ['base'], assets: ['USDC'], max_transfer: '3' },
    }),
    201,
  );
  t.same(is.misfits(crypto, onboardingMandate), []);
  t.match(crypto.limits, { max_daily_amount: 10.5, max_monthly_amount: 99 });
  const read = api(stack.baseUrl, {
    'x-api-key': tenant.apiKey,
    'x-principal-id': both.principal.id,
  });
  const own = expectStatus(await read.get(`/api/v1/principals/${both.principal.id}`), 200);
  t.same(is.misfits(own, actingPrincipal), []);
  const key = expectStatus(
    await client.post(`/api/v1/principals/${both.principal.id}/sandbox-key`),
    201,
  );
  const { env, ...texts } = key;
  t.equal(env, 'sandbox');
  t.same(is.misfits(texts, { principal_id: is.id('prn'), api_key: is.text, message: is.text }), []);
});

t.test('agents and mandates at runtime', async (t) => {
  const agent = expectStatus(await acting.get(`/api/v1/agents/${agentId}`), 200);
  t.same(is.misfits(agent, runtimeAgent), []);
  const list = expectStatus(await acting.get('/api/v1/agents'), 200);
  const agents = {
    agents: is.listOf(runtimeAgent),
    total: is.exactly(1),
    page: is.exactly(1),
    page_size: is.integer,
  };
  t.same(is.misfits(list, agents), []);
  const criterion = { required: is.number, actual: is.number, met: is.flag };
  const metrics = {
    agent_id: is.id('agt'),
    trust_level: trustLevel,
    total_transactions: is.integer,
    successful_transactions: is.integer,
    declined_transactions: is.integer,
    decline_rate: is.number,
    dispute_deflection_rate: is.number,
    trust_promotion_eligible: is.flag,
    next_trust_level: is.exactly('VERIFIED'),
    promotion_criteria: {
      successful_transactions: criterion,
      account_age_hours: criterion,
      decline_rate: criterion,
      dispute_deflection_rate: criterion,
    },
  };
  const measured = expectStatus(await acting.get(`/api/v1/agents/${agentId}/metrics`), 200);
  t.same(is.misfits(measured, metrics), []);
  const body = {
    agent_id: agentId,
    valid_until: new Date(Date.now() + 86_400_000).toISOString(),
    max_amount_per_transaction: 1000,
  };
  const created = expectStatus(await acting.post('/api/v1/mandates', body), 201);
  t.same(is.misfits(created, runtimeMandate(is.money)), []);
  t.equal(created.max_amount_per_transaction, '1000.00');
  const read = expectStatus(await acting.get(`/api/v1/mandates/${created.id}`), 200);
  t.same(read, created);
  const all = expectStatus(await acting.get(`/api/v1/mandates/agent/${agentId}`), 200);
  const listShape = { mandates: is.listOf(runtimeMandate(is.number)), total: is.exactly(2) };
  t.same(is.misfits(all, listShape), []);
  const window = {
    date: is.text,
    amount_limit: is.orNull(is.money),
    amount_used: is.money,
    amount_remaining: is.orNull(is.money),
    count_limit: is.orNull(is.integer),
    count_used: is.integer,
    count_remaining: is.orNull(is.integer),
  };
  const budget = expectStatus(await acting.get(`/api/v1/mandates/${created.id}/budget`), 200);
  const budgetShape = { mandate_id: is.id('mnd'), currency: is.text, day: window, month: window };
  t.same(is.misfits(budget, budgetShape), []);
});

t.test('decisions and what becomes of them', async (t) => {
  const decided: Array<{ decision: string; authorization_id: string }> = [];
  for (const amount of ['10.00', '1000.01', '666.02']) {
    const answer = await acting.post('/api/v1/authorize', paymentBody(agentId, { amount }));
    const body = expectStatus(answer, 200);
    t.same(is.misfits(body, authorization), [], body.decision);
    const entry = await acting.get(`/api/v1/authorize/log/${body.authorization_id}`);
    t.same(is.misfits(expectStatus(entry, 200), singleLogEntry), [], `log: ${body.decision}`);
    decided.push(body);
  }
  t.same(
    decided.map((body) => body.decision),
    ['APPROVE', 'DECLINE', 'STEP_UP'],
  );
  const log = expectStatus(await acting.get(`/api/v1/authorize/log/agent/${agentId}`), 200);
  t.same(is.misfits(log, page(logEntry(is.number))), []);
  const simulated = expectStatus(
    await acting.post('/api/v1/authorize/simulate', paymentBody(agentId)),
    200,
  );
  t.same(is.misfits(simulated, { ...authorization, simulated: is.exactly(true) }), []);
  const challenge = {
    authorization_id: is.id('auth'),
    agent_id: is.id('agt'),
    amount: is.number,
    currency: is.text,
    merchant_name: is.orNull(is.text),
    reason_codes: words,
    expires_at: is.time,
    created_at: is.time,
  };
  const pending = expectStatus(await acting.get('/api/v1/authorize/step-up/pending'), 200);
  t.same(is.misfits(pending, page(challenge)), []);
  const approved = decided[0]?.authorization_id;
  const reversed = expectStatus(
    await acting.post('/api/v1/authorize/reverse', { authorization_id: approved, amount: '2.50' }),
    200,
  );
  const reversal = {
    authorization_id: is.id('auth'),
    reversed: is.flag,
    released_amount: is.exactly(2.5),
    partial: is.exactly(true),
    already_reversed: is.exactly(false),
    message: is.text,
  };
  t.same(is.misfits(reversed, reversal), []);
  const report = {
    authorization_id: approved,
    outcome_type: 'SETTLED',
    reported_at: '2026-01-02T03:04:05Z',
    reported_by: 'ISSUER',
    settled_amount: 7.5,
    settled_currency: 'USD',
  };
  const reported = expectStatus(await acting.post('/api/v1/outcomes', report), 201);
  t.same(is.misfits(reported, outcome(is.money)), []);
  const outcomes = expectStatus(await acting.get(`/api/v1/outcomes/${approved}`), 200);
  t.same(is.misfits(outcomes, page(outcome(is.number))), []);
});

const platformDefaults = {
  authorize_min_kya_score: 0.1,
  authorize_step_up_threshold: 0.3,
  cts_green_threshold: 0.7,
  cts_amber_threshold: 0.4,
  cts_red_threshold: 0.2,
  cognitive_multiplier_red: 0.5,
  cognitive_multiplier_critical: 0.25,
  risk_score_step_up: 0.6,
  risk_score_hard_decline: 0.85,
  intent_anomaly_step_up: 0.5,
  intent_anomaly_decline: 0.95,
  intent_anomaly_min_history: 10,
  step_up_amount_threshold: null,
  new_merchant_step_up_amount: null,
  velocity_burst_count: 10,
  velocity_burst_window_seconds: 60,
  verified_min_successful_txns: 50,
  trusted_min_successful_txns: 500,
  verified_min_account_age_hours: 168,
  trusted_min_account_age_hours: 720,
  verified_max_decline_rate: 0.05,
  trusted_max_decline_rate: 0.02,
  verified_min_dispute_deflection_rate: 0.8,
  trusted_min_dispute_deflection_rate: 0.9,
};

t.test('webhooks, thresholds, programs, and what is public', async (t) => {
  const url = `http://${hookHost}/hook`;
  const made = expectStatus(
    await acting.post('/api/v1/webhooks', { url, event_types: ['trust.promotion'] }),
    201,
  );
  const secret = (value: unknown) => /^whsec_[0-9A-Za-z]{43}$/.test(String(value));
  t.same(is.misfits(made, { webhook, signing_secret: secret }), []);
  const read = expectStatus(await acting.get(`/api/v1/webhooks/${made.webhook.id}`), 200);
  t.same(read, made.webhook, 'the secret is shown once');
  t.same(is.misfits(expectStatus(await acting.get('/api/v1/webhooks'), 200), page(webhook)), []);
  const thresholds = expectStatus(await acting.get('/api/v1/thresholds'), 200);
  const parts = { thresholds: is.fields, overrides: is.fields, platform_defaults: is.fields };
  t.same(is.misfits(thresholds, parts), []);
  t.same(thresholds.platform_defaults, platformDefaults);
  const envelope = { id: is.id('evt'), event: is.text, timestamp: is.time, data: is.fields };
  const catalog = {
    event_types: is.listOf({ type: is.text, description: is.text, sample_payload: envelope }),
    wildcard: is.exactly('*'),
  };
  const open = api(stack.baseUrl);
  t.same(is.misfits((await open.get('/api/v1/webhooks/events')).body, catalog), []);
  const health = { status: is.exactly('ok'), version: is.text, time: is.time, checks: is.fields };
  t.same(is.misfits((await open.get('/api/v1/health')).body, health), []);
  const programs = expectStatus(await tenant.client.get('/api/v1/programs'), 200);
  t.equal(programs.data[0].id, tenant.programId);
  const program = await tenant.client.get(`/api/v1/programs/${tenant.programId}`);
  t.match(program.body, { id: tenant.programId, environment: 'sandbox', status: 'ACTIVE' });
});

t.test('a preview evaluates decisions with other thresholds, and changes nothing', async (t) => {
  const spender = await newSpender(stack, tenant, { max_amount_per_transaction: '1000.00' });
  const { acting, agentId } = spender;
  const pay = async (fields: Record<string, unknown>) =>
    expectStatus(await acting.post('/api/v1/authorize', paymentBody(agentId, fields)), 200);
  const present = expectStatus(await acting.get('/api/v1/thresholds'), 200);
  await pay({ amount: '10.00' });
  const large = await pay({ amount: '600.00' });
  const over = await pay({ amount: '1000.01' });
  const path = `/api/v1/thresholds/preview?agent_id=${agentId}`;
  const body = { step_up_amount_threshold: '600.00', velocity_burst_count: 5 };
  const preview = expectStatus(await acting.post(path, body), 200);
  t.match(preview, {
    fields_changed: ['step_up_amount_threshold', 'velocity_burst_count'],
    not_considered: ['velocity_burst_count'],
    considered: 3,
    before: { APPROVE: 2, STEP_UP: 0, DECLINE: 1 },
    after: { APPROVE: 1, STEP_UP: 1, DECLINE: 1 },
  });
  const stepUp = { decision: 'STEP_UP', reason_codes: ['AMOUNT_STEP_UP'] };
  const both = { decision: 'DECLINE', reason_codes: ['AMOUNT_EXCEEDS_PER_TXN', 'AMOUNT_STEP_UP'] };
  t.has(preview.changed, [
    { authorization_id: over.authorization_id, amount: '1000.01', after: both },
    { authorization_id: large.authorization_id, before: { decision: 'APPROVE' }, after: stepUp },
  ]);
  t.equal(preview.changed.length, 2);
  t.same(expectStatus(await acting.get('/api/v1/thresholds'), 200), present);
  const again = await pay({ amount: '600.00' });
  t.equal(again.decision, 'APPROVE');
  const { acting: sibling } = await newSpender(stack, tenant);
  t.equal(expectStatus(await sibling.post(path, body), 403).error.code, 'TENANT_MISMATCH');
  const unknown = await acting.post('/api/v1/thresholds/preview?agent_id=agt_none', body);
  t.equal(expectStatus(unknown, 404).error.code, 'AGENT_NOT_FOUND');
});
