import { newId } from '@countersign/kernel/id';
import { t as file, test } from 'tap';
import * as samples from './samples.js';
import { Surface } from './surface.js';

const surface = await Surface.start();
file.teardown(() => surface.close());
const { services, principalId, tenant } = surface;

test('agents and mandates of the acting Principal', async (t) => {
  const agent = samples.agentRecord({ principalId });
  for (const method of ['CreateAgent', 'GetAgent', 'UpdateAgentStatus']) {
    services.on(method, () => agent);
  }
  services.on('ListAgents', () => ({ agents: [agent], total: 41 }));
  services.on('GetAgentProfiles', () => ({ profiles: [] }));
  services.on('GetThresholds', () => ({ resolvedJson: '{"verified_min_successful_txns":50}' }));
  const body = { display_name: 'A', capabilities: ['TRANSFER'], principal_id: principalId };
  await surface.call(t, '/agents', { body, is: [201, 'createAgent'] });
  t.match(surface.asked('CreateAgent'), { ...tenant, name: 'A', programOptional: true });
  const { principal_id: _, ...unnamed } = body;
  await surface.call(t, '/agents', { body: unnamed, is: [201, 'createAgent'] });
  const foreign = { ...body, principal_id: newId('principal') };
  t.equal((await surface.send('/agents', { body: foreign })).status, 403);
  const list = await surface.call(t, '/agents?status=ACTIVE&page=2&page_size=5', {
    is: [200, 'listAgents'],
  });
  t.match(list.json, { total: 41, page: 2, page_size: 5 });
  t.match(surface.asked('ListAgents'), { tenant, status: 'ACTIVE', page: 2, pageSize: 5 });
  await surface.call(t, `/agents/${agent.id}`, { is: [200, 'getAgent'] });
  await surface.call(t, `/agents/${agent.id}/metrics`, { is: [200, 'getAgentMetrics'] });
  const change = { status: 'SUSPENDED', reason: 'Odd' };
  await surface.call(t, `/agents/${agent.id}/status`, {
    method: 'PATCH',
    body: change,
    is: [200, 'updateAgentStatus'],
  });
  t.match(surface.asked('UpdateAgentStatus'), { tenant, id: agent.id, ...change });

  const mandate = samples.mandateRecord();
  for (const method of ['CreateMandate', 'GetMandate', 'RevokeMandate']) {
    services.on(method, () => mandate);
  }
  services.on('ListAgentMandates', () => ({ mandates: [mandate], total: 1 }));
  services.on('GetUsage', () => ({
    day: '2026-11-21',
    month: '2026-11',
    dailyAmount: '50',
    monthlyAmount: '50',
    dailyCount: 1,
    monthlyCount: 1,
  }));
  const terms = {
    agent_id: agent.id,
    valid_until: '2027-01-01T00:00:00Z',
    max_amount_per_transaction: 5,
    allowed_chains: ['base'],
  };
  await surface.call(t, '/mandates', { body: terms, is: [201, 'createMandate'] });
  t.match(surface.asked('CreateMandate'), {
    ...tenant,
    rails: [],
    currency: 'USD',
    allowedChains: ['base'],
  });
  await surface.call(t, `/mandates/${mandate.id}`, { is: [200, 'getMandate'] });
  await surface.call(t, `/mandates/agent/${agent.id}?status=ACTIVE`, {
    is: [200, 'listAgentMandates'],
  });
  await surface.call(t, `/mandates/${mandate.id}/budget`, { is: [200, 'getMandateBudget'] });
  await surface.call(t, `/mandates/${mandate.id}`, {
    method: 'DELETE',
    is: [200, 'revokeMandate'],
  });
});

test('the log of a Principal is listed as it is asked for', async (t) => {
  const entry = samples.entryRecord();
  services.on('ListAuthorizations', () => ({ entries: [entry], hasMore: true }));
  const is: [number, string] = [200, 'listAuthorizations'];
  const path = '/authorize/log';
  await surface.call(t, path, { is });
  t.strictSame(surface.asked('ListAuthorizations'), { tenant, page: { limit: 25 } });
  const range = 'from=2026-11-01T00:00:00%2B01:00&until=2026-11-02T00:00:00Z';
  const times = { from: '2026-10-31T23:00:00.000Z', until: '2026-11-02T00:00:00.000Z' };
  const chosen = `agent_id=agt_1&first_decision=DECLINE&${range}`;
  const page = await surface.call(t, `${path}?limit=1&${chosen}`, { is });
  t.match(surface.asked('ListAuthorizations'), {
    ...{ agentId: 'agt_1', firstDecision: 'DECLINE', ...times },
  });
  t.match(surface.asked('GetAgent'), { tenant, id: 'agt_1' }, "the agent must be the caller's");
  const cursor = page.json.pagination.next_cursor;
  await surface.call(t, `${path}?${chosen}&cursor=${cursor}`, { is });
  const { id, createdAt } = entry;
  t.match(surface.asked('ListAuthorizations').page, { limit: 25, after: { id, createdAt } });
  const other = await surface.send(
    `${path}?${chosen.replace('DECLINE', 'STEP_UP')}&cursor=${cursor}`,
  );
  t.equal(other.json.error.details.errors[0].type, 'invalid_cursor', 'it is for this list alone');
  await surface.call(t, `${path}?client_reference=order%201`, { is });
  t.match(surface.asked('ListAuthorizations'), { clientReference: 'order 1' });
  await surface.call(t, `${path}?idempotency_key=key-00001`, { is });
  t.match(surface.asked('ListAuthorizations'), { idempotencyKey: 'key-00001' });
  for (const [query, field, type] of [
    ['agent_id=agt_1&client_reference=r', 'client_reference', 'ambiguous'],
    ['first_decision=DECLINE&client_reference=r', 'client_reference', 'ambiguous'],
    ['idempotency_key=key-00001&client_reference=r', 'idempotency_key', 'ambiguous'],
    ['idempotency_key=short', 'idempotency_key', 'invalid_format'],
    ['decision=DECLINE', 'decision', 'unrecognized_keys'],
    ['first_decision=APPROVE', 'first_decision', 'invalid_value'],
    ['from=2026-11-02T00:00:00Z&until=2026-11-02T01:00:00%2B01:00', 'until', 'out_of_range'],
    ['from=yesterday', 'from', 'invalid_format'],
    ['agent_id=prn_1', 'agent_id', 'invalid_format'],
    ['client_reference=', 'client_reference', 'invalid_length'],
    ['client_reference=%00', 'client_reference', 'invalid_characters'],
  ] as const) {
    const refused = await surface.send(`${path}?${query}`);
    t.equal(refused.status, 422, query);
    t.match(refused.json.error.details.errors, [{ field, type }], query);
  }
});

test('the log, reversal and step-up', async (t) => {
  const entry = samples.entryRecord({ stepUp: { status: 'PENDING', expiresAt: samples.at } });
  const explanationJson = `{"authorization_id":"${entry.id}","decision":"DECLINE",\
"counters":null,\
"reason_detail":"No.","policy_hash":"p","input_hash":"i","judged":false,\
"rules":[],"scores":null,"inputs":{"sum":1.10}}`;
  services.on('GetAuthorization', () => entry);
  services.on('ListAgentAuthorizations', () => ({ entries: [entry], hasMore: true }));
  services.on('ListPendingStepUps', () => ({ entries: [entry], hasMore: false }));
  services.on('ExplainAuthorization', () => ({ explanationJson }));
  services.on('Reverse', () => ({
    authorizationId: entry.id,
    reversed: true,
    releasedAmount: '5',
    decision: 'APPROVE',
  }));
  services.on('DenyStepUp', () => ({ outcome: 'denied' }));
  services.on('ConfirmStepUp', ({ confirmedBy }) => ({ confirmedBy, confirmedAt: samples.at }));
  const log = `/authorize/log/${entry.id}`;
  await surface.call(t, log, { is: [200, 'getAuthorization'] });
  const explained = await surface.call(t, `${log}/explain`, { is: [200, 'explainAuthorization'] });
  t.equal(explained.text, explanationJson, 'relayed as it is');
  await surface.call(t, '/authorize/log/agent/agt_1', { is: [200, 'listAgentAuthorizations'] });
  t.match(surface.asked('ListAgentAuthorizations'), {
    tenant,
    agentId: 'agt_1',
    page: { limit: 25 },
  });
  const reversal = { authorization_id: entry.id, amount: '5.00', reason: 'r' };
  await surface.call(t, '/authorize/reverse', {
    body: reversal,
    is: [200, 'reverseAuthorization'],
  });
  t.has(surface.asked('Reverse'), { tenant, amount: '5', requestedBy: principalId });
  await surface.call(t, '/authorize/step-up/pending', { is: [200, 'listPendingStepUps'] });
  const stepUp = `/authorize/step-up/${entry.id}`;
  await surface.call(t, `${stepUp}/confirm`, { method: 'POST', is: [200, 'confirmStepUp'] });
  t.match(surface.asked('ConfirmStepUp'), { tenant, confirmedBy: principalId });
  await surface.call(t, `${stepUp}/deny`, { method: 'POST', is: [200, 'denyStepUp'] });
  await surface.call(t, `${stepUp}/deny`, { body: { reason: 'no' }, is: [200, 'denyStepUp'] });
  t.match(surface.asked('DenyStepUp'), { tenant, deniedBy: principalId, reason: 'no' });
  for (const outcome of ['expired', 'already_answered', 'not_step_up']) {
    services.on('DenyStepUp', () => ({ outcome }));
    const refused = await surface.send(`${stepUp}/deny`, { method: 'POST' });
    t.equal(refused.status, 400);
    t.equal(refused.json.error.code, 'STEP_UP_REQUIRED');
  }
  services.on('Authorize', () => ({ answer: '{}' }));
  services.on('Simulate', () => ({ answer: '{}' }));
});

test('a one-time code: each thing that can come of it', async (t) => {
  const stepUp = { status: 'PENDING', expiresAt: samples.at };
  const entry = samples.entryRecord({ stepUp, amount: '12.50' });
  services.on('GetAuthorization', () => entry);
  services.on('DenyStepUp', () => ({ outcome: 'denied' }));
  services.on('ConfirmStepUp', ({ confirmedBy }) => ({ confirmedBy, confirmedAt: samples.at }));
  const path = `/authorize/step-up/${entry.id}/verify-otp`;
  const body = { code: '123456' };
  services.on('VerifyCode', () => ({ outcome: 'correct' }));
  const confirmed = await surface.call(t, path, { body, is: [200, 'verifyStepUpCode'] });
  t.equal(confirmed.json.confirmed_by, `otp:${principalId}`);
  t.has(surface.asked('VerifyCode'), {
    ...{ tenant, authorizationId: entry.id, code: '123456' },
    ...{ amount: '12.50', currency: 'USD', expiresAt: samples.at },
  });
  t.match(surface.asked('ConfirmStepUp'), { tenant, confirmedBy: `otp:${principalId}` });

  services.forget();
  const refused = async (message: RegExp) => {
    const answer = await surface.send(path, { body });
    t.equal(answer.status, 400);
    t.match(answer.json.error, { code: 'STEP_UP_REQUIRED', message });
  };
  for (const [outcome, message] of [
    ['wrong', /code is wrong/],
    ['expired', /has expired/],
    ['no_code', /only be confirmed or denied/],
  ] as const) {
    services.on('VerifyCode', () => ({ outcome }));
    await refused(message);
  }
  t.same(services.requests('DenyStepUp'), []);
  services.on('VerifyCode', () => ({ outcome: 'exhausted' }));
  for (const outcome of ['denied', 'already_answered', 'expired']) {
    services.on('DenyStepUp', () => ({ outcome }));
    await refused(/wrong too often/);
  }
  t.match(surface.asked('DenyStepUp'), { tenant, deniedBy: `otp:${principalId}` });
  t.same(services.requests('ConfirmStepUp'), [], 'but for a correct code nothing is confirmed');

  services.forget();
  for (const [standing, message] of [
    [undefined, /asked for no step-up/],
    [{ ...stepUp, status: 'EXPIRED' }, /has expired/],
    [{ ...stepUp, status: 'CONFIRMED' }, /answered already/],
    [{ ...stepUp, status: 'DENIED' }, /answered already/],
  ] as const) {
    services.on('GetAuthorization', () => ({ ...entry, stepUp: standing }));
    await refused(message);
  }
  t.equal((await surface.send(path, { body: { code: '12345' } })).status, 422);
  t.same(services.requests('VerifyCode'), [], 'no try is used up by what cannot be confirmed');
});

test('a row of a batch that is not recorded is answered with the id it named', async (t) => {
  services.on('RecordOutcomes', ({ reports }) => ({
    results: reports.map(() => ({ status: 'not_found' })),
  }));
  const row = { reported_at: samples.at, reported_by: 'ISSUER', outcome_type: 'SETTLED' };
  const named = { ...row, authorization_id: 'auth_nobodys' };
  const referring = { ...row, client_reference: 'order-1' };
  const outcomes = [{ ...named, outcome_type: 'LOST' }, named, referring, row];
  const { json } = await surface.send('/outcomes/batch', { body: { outcomes } });
  t.match(json.results, [
    { index: 0, status: 'invalid', authorization_id: 'auth_nobodys' },
    { index: 1, status: 'not_found', authorization_id: 'auth_nobodys' },
    { index: 2, status: 'not_found', authorization_id: null },
    { index: 3, status: 'invalid', authorization_id: null },
  ]);
});

test('outcomes, alone and in batches, and settlements', async (t) => {
  const outcome = samples.outcomeRecord();
  const row = { reported_at: samples.at, reported_by: 'ISSUER', outcome_type: 'SETTLED' };
  const body = { ...row, client_reference: 'order-1', settled_amount: 5, settled_currency: 'USD' };
  const answering = (status: string) => () => ({ results: [{ status, outcome }] });
  services.on('RecordOutcomes', answering('created'));
  await surface.call(t, '/outcomes', { body, is: [201, 'reportOutcome'] });
  t.has(surface.asked('RecordOutcomes'), { tenant, reports: [{ settledAmount: '5' }] });
  for (const status of ['updated', 'duplicate']) {
    services.on('RecordOutcomes', answering(status));
    await surface.call(t, '/outcomes', { body, is: [200, 'reportOutcome'] });
  }
  const unnamed = { outcome: { ...outcome, settledCurrency: undefined }, paymentCurrency: 'USD' };
  services.on('RecordOutcomes', () => ({ results: [{ status: 'created', ...unnamed }] }));
  const { json } = await surface.call(t, '/outcomes', { body, is: [201, 'reportOutcome'] });
  t.has(json, { settled_amount: '10.00', settled_currency: null }, 'in the currency of payment');
  const mismatch = { status: 'not_found', error: 'TENANT_MISMATCH' };
  services.on('RecordOutcomes', () => ({ results: [mismatch] }));
  const others = await surface.send('/outcomes', { body });
  t.equal(others.status, 403);
  t.equal(others.json.error.code, 'TENANT_MISMATCH');
  const inBatch = { body: { outcomes: [body] } };
  const batched = await surface.send('/outcomes/batch', inBatch);
  t.match(batched.json, { not_found: 1, results: [{ status: 'not_found' }] });
  services.on('RecordOutcomes', () => ({ results: [{ status: 'not_found' }] }));
  const missing = await surface.send('/outcomes', { body });
  t.match(missing.json.error, { code: 'NOT_FOUND' });
  const unknown = { ...body, outcome_type: 'LOST' };
  for (const refusedBody of [unknown, { ...body, outcome_type: '' }]) {
    const refused = await surface.send('/outcomes', { body: refusedBody });
    t.equal(refused.status, 400);
    const { code, message } = refused.json.error;
    t.equal(code, 'BAD_REQUEST');
    t.match(message, /^outcome_type must be one of SETTLED, CLEARED, .*FALSE_POSITIVE_REPORTED/);
  }

  services.on('RecordOutcomes', ({ reports }) => ({
    results: reports.map(({ clientReference }: { clientReference: string }) => ({
      status: 'created',
      outcome: { ...outcome, authorizationId: clientReference },
    })),
  }));
  const rows = [body, unknown, row, { ...body, client_reference: 'order-2' }];
  const batch = await surface.call(t, '/outcomes/batch', {
    body: { outcomes: rows },
    is: [200, 'reportOutcomes'],
  });
  t.match(batch.json, { total: 4, created: 2, invalid: 2 });
  t.same(
    batch.json.results.map((each: { authorization_id: string | null }) => each.authorization_id),
    ['order-1', null, null, 'order-2'],
    'each answer stays with its row',
  );
  services.on('ListOutcomes', () => ({ outcomes: [outcome], hasMore: false }));
  await surface.call(t, '/outcomes/auth_1', { is: [200, 'listOutcomes'] });

  const settlement = samples.settlementRecord();
  services.on('ReportSettlement', () => ({ settlement, created: true }));
  const report = { authorization_id: 'auth_1', tx_hash: `0x${'AB'.repeat(32)}` };
  await surface.call(t, '/crypto/settlements', { body: report, is: [201, 'reportSettlement'] });
  t.match(surface.asked('ReportSettlement'), {
    tenant,
    chain: 'base',
    txHash: `0x${'ab'.repeat(32)}`,
  });
  services.on('ReportSettlement', () => ({ settlement, created: false }));
  await surface.call(t, '/crypto/settlements', { body: report, is: [200, 'reportSettlement'] });
  services.on('ListSettlements', () => ({ settlements: [settlement] }));
  await surface.call(t, '/crypto/settlements/auth_1', { is: [200, 'listSettlements'] });
});

test('webhooks and thresholds', async (t) => {
  const webhook = samples.webhookRecord();
  const delivery = samples.deliveryRecord();
  const made = { webhook, signingSecret: 'whsec_x' };
  services.on('CreateWebhook', () => made);
  services.on('RotateWebhookSecret', () => made);
  services.on('GetWebhook', () => webhook);
  services.on('UpdateWebhook', () => webhook);
  services.on('DeleteWebhook', () => ({}));
  services.on('TestWebhook', () => ({}));
  services.on('ListWebhooks', () => ({ webhooks: [webhook], hasMore: false }));
  services.on('ListDeliveries', () => ({ deliveries: [delivery], hasMore: false }));
  services.on('RetryDelivery', () => delivery);
  const body = { url: webhook.url, event_types: ['*'] };
  await surface.call(t, '/webhooks', { body, is: [201, 'createWebhook'] });
  t.match(surface.asked('CreateWebhook'), { tenant, url: webhook.url, eventTypes: ['*'] });
  await surface.call(t, '/webhooks', { is: [200, 'listWebhooks'] });
  const path = `/webhooks/${webhook.id}`;
  await surface.call(t, path, { is: [200, 'getWebhook'] });
  const patch = (sent: unknown) =>
    surface.call(t, path, { method: 'PATCH', body: sent, is: [200, 'updateWebhook'] });
  await patch({ active: true });
  t.match(surface.asked('UpdateWebhook'), { tenant, active: true, clearDescription: false });
  t.equal(surface.asked('UpdateWebhook').url, undefined);
  await patch({ description: null });
  t.match(surface.asked('UpdateWebhook'), { clearDescription: true });
  const unset = await surface.send(path, { method: 'PATCH', body: { active: true, url: null } });
  t.equal(unset.status, 422, 'null asks for something that cannot be done');
  const empty = await surface.send(path, { method: 'PATCH', body: {} });
  t.equal(empty.json.error.code, 'BAD_REQUEST');
  const tested = await surface.call(t, `${path}/test`, {
    method: 'POST',
    is: [200, 'testWebhook'],
  });
  t.match(tested.json, { status: 'sent', event_type: 'gate.fired' });
  await surface.call(t, `${path}/rotate-secret`, {
    method: 'POST',
    is: [200, 'rotateWebhookSecret'],
  });
  await surface.call(t, `${path}/deliveries`, { is: [200, 'listWebhookDeliveries'] });
  await surface.call(t, `${path}/deliveries/${delivery.id}/retry`, {
    method: 'POST',
    is: [202, 'retryWebhookDelivery'],
  });
  const gone = await surface.call(t, path, { method: 'DELETE', is: [204, 'deleteWebhook'] });
  t.equal(gone.text, '');
});

test('events of fraud triage are for a Program that has it', async (t) => {
  const body = { url: 'https://example.com/', event_types: ['*'] };
  const fraud = { ...body, event_types: ['*', 'fraud.triage.resolved'] };
  services.on('GetPrincipal', () => samples.principalRecord({ programIds: ['prg_1'] }));
  services.on('GetProgram', () => ({ id: 'prg_1', fraudTriageEnabled: false }));
  const refused = await surface.send('/webhooks', { body: fraud });
  t.equal(refused.status, 422);
  t.match(refused.json.error.details.errors[0], { field: 'event_types.1' });
  const sample = `/webhooks/${newId('webhook')}/test?event_type=fraud.triage.resolved`;
  const unsampled = await surface.send(sample, { method: 'POST' });
  t.equal(unsampled.status, 422, 'no sample of what can never be sent');
  t.match(unsampled.json.error.details.errors, [
    { field: 'event_type', type: 'fraud_triage_disabled' },
  ]);
  services.on('GetProgram', () => ({ id: 'prg_1', fraudTriageEnabled: true }));
  await surface.call(t, '/webhooks', { body: fraud, is: [201, 'createWebhook'] });
  await surface.call(t, sample, { method: 'POST', is: [200, 'testWebhook'] });
});

test('every operation of these chapters was called', async (t) => {
  t.same(surface.uncalled('Agents', 'Mandates', 'Outcomes', 'Crypto settlements', 'Step-up'), []);
});
