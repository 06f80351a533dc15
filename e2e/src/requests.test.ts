/** Every request field of the interface is accepted and shows up in the responses. */
import { randomUUID } from 'node:crypto';
import { until } from '@countersign/runtime/testing';
import { CompactSign, calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose';
import t from 'tap';
import { type Api, api } from './api.js';
import { startInstallation } from './contract-proxy.js';
import { patience } from './patience.js';
import { expectStatus, newSpender, newTenant, onboardBody, paymentBody } from './tenant.js';

const hookHost = '127.0.0.1:9';
const stack = await startInstallation({
  env: { ...patience, RATE_LIMIT_MULTIPLIER: '0', WEBHOOK_ALLOWED_HOSTS: hookHost },
  seed: false,
});
t.teardown(() => stack.stop());
const tenant = await newTenant(stack);
const { client, programId } = tenant;

type Fields = Record<string, unknown>;
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
const capabilities = ['PURCHASE', 'SUBSCRIPTION', 'REFUND_REQUEST', 'BALANCE_INQUIRY', 'TRANSFER'];

function actingFor(principalId: string): Api {
  const headers = { 'x-api-key': tenant.apiKey, 'x-principal-id': principalId };
  return api(stack.baseUrl, headers);
}

t.test('onboarding, whole', async (t) => {
  const plain = onboardBody(programId);
  const valid_until = inDays(30);
  const body = {
    principal: {
      ...plain.principal,
      principal_kind: 'merchant',
      profile: {
        display_name: 'Corner Shop',
        email: 'shop@example.com',
        phone: '+14155550123',
        country: 'USA',
      },
      verification: { ...plain.principal.verification, type: 'KYB' },
      step_up: { method: 'sms', phone: '+14155550124' },
      metadata: { tier: 'gold', nested: { a: [1] } },
    },
    agent: {
      name: 'Buyer',
      program_id: programId,
      capabilities,
      external_agent_ref: 'agent-7',
      metadata: { team: 'purchasing' },
    },
    mandate: {
      rails: ['crypto', 'card'],
      limits: { max_amount_per_transaction: 10, max_daily_amount: '20.50', currency: 'USD' },
      allowed_mccs: ['5411', '5812'],
      allowed_countries: ['USA'],
      crypto: { chains: ['base'], assets: ['USDC'], max_transfer: '5.000001' },
      valid_until,
    },
  };
  const made = expectStatus(await client.post('/api/v1/onboard', body), 201);
  const { client_customer_ref } = plain.principal;
  t.match(made.principal, { principal_kind: 'merchant', client_customer_ref, risk_tier: 'LOW' });
  t.match(made.agent, { name: 'Buyer', program_id: programId, kya_score: null });
  t.match(made.mandate, {
    status: 'ACTIVE',
    limits: { max_amount_per_transaction: 10, max_daily_amount: 20.5, currency: 'USD' },
    allowed_countries: ['USA'],
    valid_until,
  });
  t.same(made.mandate.rails.sort(), ['card', 'crypto']);
  t.same(made.mandate.allowed_mccs.sort(), ['5411', '5812']);
  t.same(made.mandate.crypto, { chains: ['base'], assets: ['USDC'], max_transfer: '5.000001' });
  const acting = actingFor(made.principal.id);
  const agent = expectStatus(await acting.get(`/api/v1/agents/${made.agent.id}`), 200);
  t.same(agent.capabilities.sort(), [...capabilities].sort());
  const agents = `/api/v1/principals/${made.principal.id}/agents`;
  const second = expectStatus(await client.post(agents, { name: 'Plain' }), 201);
  const plainAgent = expectStatus(await acting.get(`/api/v1/agents/${second.id}`), 200);
  t.same(plainAgent.capabilities, ['PURCHASE'], 'by default');
});

/** A key of the agent, with proof of possession of its private half. */
async function provenKey(principalId: string) {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = await exportJWK(publicKey);
  const did = `did:web:agents.example.com:${await calculateJwkThumbprint(jwk)}`;
  const now = Math.floor(Date.now() / 1_000);
  const claims = {
    iss: did,
    sub: did,
    aud: `${stack.baseUrl}/sandbox`,
    htm: 'POST',
    htu: `${stack.baseUrl}/api/v1/agents`,
    principal_id: principalId,
    iat: now,
    exp: now + 300,
    jti: randomUUID(),
  };
  const proof = await new CompactSign(Buffer.from(JSON.stringify(claims)))
    .setProtectedHeader({ typ: 'agent-registration-proof+jwt', alg: 'ES256', jwk })
    .sign(privateKey);
  return { did, public_key_jwk: jwk, registration_proof: proof };
}

t.test('an agent with an identity of its own', async (t) => {
  const { acting, principalId } = await newSpender(stack, tenant);
  const create = (fields: Fields) =>
    acting.post('/api/v1/agents', { display_name: 'Own', capabilities, ...fields });
  const named = `did:web:example.com:${randomUUID()}`;
  const stored = expectStatus(await create({ did: named, principal_id: principalId }), 201);
  t.match(stored, { did: named, display_name: 'Own', principal_id: principalId });
  const taken = await create({ did: named });
  t.match(taken, { status: 409, body: { error: { code: 'CONFLICT' } } });
  const proven = await provenKey(principalId);
  t.equal(expectStatus(await create(proven), 201).did, proven.did);
  const { did: _, ...keyOnly } = await provenKey(principalId);
  t.equal((await create(keyOnly)).status, 422, 'the proof was made for another DID');
  const { registration_proof: __, ...unproven } = await provenKey(principalId);
  t.match((await create(unproven)).body.error.details.errors, [{ field: 'registration_proof' }]);
});

t.test('a mandate, whole, and which of several counts', async (t) => {
  const { acting, agentId, mandateId } = await newSpender(stack, tenant);
  const terms = {
    max_amount_per_transaction: '50.00',
    max_daily_amount: '100.00',
    max_monthly_amount: '1000.00',
    currency: 'USD',
    allowed_mccs: ['5411'],
    blocked_mccs: ['7995'],
    allowed_countries: ['USA'],
    blocked_countries: ['PRK'],
    allowed_chains: ['base'],
    allowed_assets: ['USDC'],
    allowed_counterparties: ['0xabc'],
    valid_until: inDays(30),
  };
  const body = { agent_id: agentId, ...terms };
  const whole = expectStatus(await acting.post('/api/v1/mandates', body), 201);
  t.match(whole, terms);
  const card = { agent_id: agentId, max_amount_per_transaction: 5, valid_until: inDays(1) };
  const newest = expectStatus(await acting.post('/api/v1/mandates', card), 201);
  t.not(newest.mandate_hash, whole.mandate_hash);
  const decide = async (fields: Fields) =>
    expectStatus(await acting.post('/api/v1/authorize', paymentBody(agentId, fields)), 200);
  t.equal((await decide({ amount: '5' })).mandate_id, newest.id, 'the newest');
  const crypto = { chain: 'base', asset: 'USDC', counterparty: '0xabc', value: '5' };
  const moved = await decide({ amount: '5', rail: 'CRYPTO', crypto, mcc: '5411', country: 'USA' });
  t.match(moved, { decision: 'APPROVE', mandate_id: whole.id }, 'the newest for that rail');
  const gone = await acting.call('DELETE', `/api/v1/mandates/${newest.id}`);
  expectStatus(gone, 200);
  const before = await decide({ amount: '5', mcc: '5411', country: 'USA' });
  t.equal(before.mandate_id, whole.id, 'then the one before it');
  t.not(before.mandate_id, mandateId);
});

t.test('a mandate stays below the ceilings of its Program', async (t) => {
  const ceilings = { limit_ceilings: { max_amount_per_transaction: '10.00' } };
  const { acting, agentId } = await newSpender(stack, await newTenant(stack, 'sandbox', ceilings), {
    max_amount_per_transaction: '10.00',
  });
  const body = { agent_id: agentId, valid_until: inDays(1), max_amount_per_transaction: '10.01' };
  t.match(await acting.post('/api/v1/mandates', body), {
    status: 422,
    body: {
      error: {
        code: 'VALIDATION_ERROR',
        details: {
          errors: [{ field: 'max_amount_per_transaction', type: 'limit_above_program_ceiling' }],
        },
      },
    },
  });
});

const everything = {
  currency: 'USD',
  intent_context: {
    task_reference: 'TASK-7',
    intent_type: 'PURCHASE',
    reasoning_summary: 'Cheapest of three offers.',
    confidence: 0.92,
    alternatives_considered: 3,
    interaction_depth: 2,
    session_id: 'session-7',
    recurrence_number: 1,
  },
  mcc: '5411',
  merchant_name: 'Corner Shop',
  merchant_id: 'm-1001',
  country: 'USA',
  capability: 'PURCHASE',
  rail: 'CARD',
  client_reference: 'order-7',
  network_rrn: 'rrn-7',
  network_stan: 'stan-7',
  auth_code: 'A7',
  network_reference: 'network-7',
  tx_hash: `0x${'a7'.repeat(32)}`,
  chain_id: 8453,
  metadata: { cart: 'cart-7' },
};

t.test('a payment, whole, and what a clean one looks like', async (t) => {
  const { acting, agentId, principalId } = await newSpender(stack, tenant);
  const pay = async (fields: Fields) =>
    expectStatus(await acting.post('/api/v1/authorize', { agent_id: agentId, ...fields }), 200);
  const agents = async () => expectStatus(await acting.get(`/api/v1/agents/${agentId}`), 200);
  t.match(await agents(), { total_transactions: 0, decline_rate: 0 });
  const first = await pay({ amount: 10, ...everything, idempotency_key: randomUUID() });
  t.match(first, {
    decision: 'APPROVE',
    correlation_key: 'order-7',
    reason_codes: [],
    risk_assessment: {
      score: first.risk_score,
      reason_codes: [],
      condition_code: 'CLEAN',
      velocity_indicator: false,
      highest_severity: 'NONE',
    },
    intent_context_provided: true,
    intent_anomaly_triggered: false,
    vi_verified: false,
    vi_mode: null,
    cognitive_limit_active: false,
    cognitive_limit_multiplier: 1,
    session_terminate_recommended: false,
  });
  t.ok(first.kya_score > 0 && first.kya_score <= 1);
  const path = `/api/v1/authorize/log/${first.authorization_id}`;
  const { mcc, merchant_id, merchant_name, country } = everything;
  const entry = expectStatus(await acting.get(path), 200);
  t.has(entry, { amount: '10.00', currency: 'USD', rail: 'CARD', client_reference: 'order-7' });
  t.match(entry, { mcc, merchant_id, merchant_name, country });
  const { network_rrn, network_stan, auth_code, network_reference, tx_hash, chain_id } = everything;
  t.match(entry, { network_rrn, network_stan, auth_code, network_reference, tx_hash, chain_id });
  const explained = await acting.get(`${path}/explain`);
  for (const part of ['cart-7', 'Cheapest of three offers.', 'session-7']) {
    t.ok(explained.text.includes(part), `${part} is on record`);
  }
  const { daily_amount_used, monthly_amount_used, daily_count_used, monthly_count_used } = first;
  const counters = { daily_amount_used, monthly_amount_used, daily_count_used, monthly_count_used };
  t.same(explained.body.counters, counters, 'what was used then is on record');
  t.equal(daily_amount_used, '10.00');
  const bare = await pay({ amount: '1.5', intent_context: { task_reference: 'TASK-8' } });
  const kept = expectStatus(
    await acting.get(`/api/v1/authorize/log/${bare.authorization_id}`),
    200,
  );
  t.has(kept, { amount: '1.50', currency: 'USD', rail: 'CARD', merchant_id: null }, 'defaults');
  const again = { ...everything.intent_context, original_authorization_id: first.authorization_id };
  t.equal((await pay({ amount: 1, intent_context: again })).decision, 'APPROVE');
  await until(async () => (await agents()).total_transactions === 3);
  const scored = await until(async () => {
    const list = await client.get(`/api/v1/principals/${principalId}/agents`);
    return expectStatus(list, 200).agents[0].kya_score;
  });
  t.ok(scored > 0 && scored <= 1, 'null until its first decision, then a score');
});

t.test('runtime evidence is put on record and changes nothing', async (t) => {
  const evidence = { attestation: 'forged', risk: 1, flags: ['fraud'] };
  const decisions: Fields[] = [];
  for (const fields of [{}, { runtime_evidence: evidence }]) {
    const { acting, agentId } = await newSpender(stack, tenant);
    const answer = await acting.post('/api/v1/authorize', paymentBody(agentId, fields));
    const { decision, risk_score, kya_score, reason_codes } = expectStatus(answer, 200);
    decisions.push({ decision, risk_score, kya_score, reason_codes });
    const path = `/api/v1/authorize/log/${answer.body.authorization_id}/explain`;
    t.equal((await acting.get(path)).text.includes('forged'), 'runtime_evidence' in fields);
  }
  t.same(decisions[0], decisions[1]);
});

t.test('an outcome, whole, by each reference', async (t) => {
  const { acting, agentId } = await newSpender(stack, tenant);
  const paid: string[] = [];
  for (let i = 0; i < 2; i += 1) {
    const body = paymentBody(agentId, {
      client_reference: 'order-8',
      tx_hash: `0x${i}`,
      mcc: '5411',
    });
    const answer = await acting.post('/api/v1/authorize', body);
    paid.push(expectStatus(answer, 200).authorization_id);
  }
  const report = {
    outcome_type: 'SETTLED',
    reported_at: '2026-01-02T03:04:05.000Z',
    reported_by: 'MERCHANT',
    settled_amount: '9.50',
    settled_currency: 'USD',
    settled_at: '2026-01-02T00:00:00.000Z',
    evidence: { receipt: 'r-1' },
    notes: 'Paid out.',
    external_reference_id: 'ext-1',
  };
  const recorded = {
    network_stan: 'stan-8',
    auth_code: 'A8',
    network_reference: 'network-8',
    chain_id: 1,
  };
  const by = async (fields: Fields) =>
    expectStatus(await acting.post('/api/v1/outcomes', { ...report, ...fields }), 201);
  const made = await by({ client_reference: 'order-8', ...recorded });
  t.match(made, { ...report, authorization_id: paid[1] }, 'the most recent with that reference');
  const { network_stan, ...kept } = recorded;
  t.match(
    expectStatus(await acting.get(`/api/v1/authorize/log/${paid[1]}`), 200),
    { ...kept, network_stan: null, network_rrn: null, tx_hash: '0x1' },
    'recorded on the authorization, which had none',
  );
  t.equal((await by({ tx_hash: '0x0' })).authorization_id, paid[0]);
  for (const reported_by of ['PRINCIPAL', 'ISSUER', 'INTERNAL']) {
    const outcome_type = { PRINCIPAL: 'CLEARED', ISSUER: 'DISPUTE_RESOLVED' }[reported_by];
    const fields = { authorization_id: paid[0], reported_by };
    const answer = await by({ ...fields, outcome_type: outcome_type ?? 'MERCHANT_COMPLAINT' });
    t.equal(answer.reported_by, reported_by);
  }
  const { data } = expectStatus(await acting.get(`/api/v1/outcomes/${paid[0]}`), 200);
  t.same(
    data.map((each: Fields) => each.outcome_type),
    ['MERCHANT_COMPLAINT', 'DISPUTE_RESOLVED', 'CLEARED', 'SETTLED'],
    'newest first',
  );
});

t.test('a webhook, whole, for every event', async (t) => {
  const { acting } = await newSpender(stack, tenant);
  const url = `http://${hookHost}/`.padEnd(2_048, 'x');
  const event_types = [
    'gate.fired',
    'kya.zone.red',
    'kya.zone.critical',
    'session.terminate',
    'authorization.decline',
    'trust.promotion',
    'step_up.created',
    'cts.red',
    'cts.critical',
    '*',
  ];
  const description = 'd'.repeat(255);
  const create = (fields: Fields) =>
    acting.post('/api/v1/webhooks', { url, event_types, description, ...fields });
  const { webhook } = expectStatus(await create({}), 201);
  t.match(webhook, { url, description, active: true });
  t.same(webhook.event_types.sort(), [...event_types].sort());
  const change = {
    url: `http://${hookHost}/new`,
    event_types: ['*'],
    active: false,
    description: '',
  };
  const path = `/api/v1/webhooks/${webhook.id}`;
  const changed = expectStatus(await acting.call('PATCH', path, { body: change }), 200);
  t.match(changed, { url: change.url, event_types: ['*'], active: false });
  const fraud = ['fraud.triage.suspected_created', 'fraud.triage.resolved'];
  t.equal((await create({ event_types: fraud })).status, 422, 'not without fraud triage');
  const watched = await newTenant(stack, 'sandbox', { fraud_triage_enabled: true });
  const member = await newSpender(stack, watched);
  const body = { url, event_types: [...fraud, 'fraud.pattern.agto_suspected'] };
  expectStatus(await member.acting.post('/api/v1/webhooks', body), 201);
});

t.test('agents, mandates and webhooks take no idempotency key', async (t) => {
  const { acting, agentId } = await newSpender(stack, tenant);
  const terms = { agent_id: agentId, max_amount_per_transaction: 1, valid_until: inDays(1) };
  const rows: Array<[path: string, body: Fields]> = [
    ['/api/v1/agents', { display_name: 'Twice', capabilities }],
    ['/api/v1/mandates', terms],
    ['/api/v1/webhooks', { url: `http://${hookHost}/`, event_types: ['*'] }],
  ];
  for (const [path, body] of rows) {
    const headers = { 'idempotency-key': randomUUID() };
    const ids: string[] = [];
    for (let i = 0; i < 2; i += 1) {
      const made = expectStatus(await acting.post(path, body, { headers }), 201);
      ids.push(made.id ?? made.webhook.id);
    }
    t.not(ids[0], ids[1], path);
  }
});
