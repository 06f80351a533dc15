import { newId } from '@countersign/kernel/id';
import type { CommitRequest } from '@countersign/proto/ledger';
import { until } from '@countersign/runtime/testing';
import root, { test } from 'tap';
import { authorizeRequest, callOptions, newAgentIds, startDecision } from './decision-service.js';
import { type AgentPatch, spendingFacts } from './fake-identity.js';
import { faultOf } from './fault-of.js';

const { client, context, identity, ledger, stop } = await startDecision();
const { Authorize, Simulate, ConfirmStepUp, ExplainAuthorization } = client.call;
const { GetThresholds, PutThresholds, ResetThresholds } = client.call;
root.teardown(stop);

function read(json: string | undefined): Record<string, unknown> {
  return JSON.parse(json ?? 'null') as Record<string, unknown>;
}

function newTenant() {
  return { clientId: 'cli_1', principalId: newId('principal') };
}

test('thresholds: resolved, overridden and default values, by public name', async (t) => {
  const tenant = newTenant();
  const changesJson = JSON.stringify({
    cts_red_threshold: 0.25,
    step_up_amount_threshold: '50.00',
    risk_score_step_up: 0.6,
  });
  const put = await PutThresholds({ tenant, changesJson }, callOptions);
  t.strictSame(put.fieldsChanged, ['cts_red_threshold', 'step_up_amount_threshold']);
  const now = await GetThresholds({ tenant }, callOptions);
  t.match(read(now.resolvedJson), { cts_red_threshold: 0.25, step_up_amount_threshold: '50.00' });
  t.strictSame(read(now.overridesJson), JSON.parse(changesJson));
  t.match(read(now.defaultsJson), { cts_red_threshold: 0.2, step_up_amount_threshold: null });
  t.strictSame(put.thresholds, now);
  const reset = await ResetThresholds({ tenant }, callOptions);
  t.strictSame(read(reset.overridesJson), {});
  t.strictSame(await GetThresholds({ tenant }, callOptions), reset);
});

test('thresholds: a change is applied completely or not at all', async (t) => {
  const tenant = newTenant();
  const changesJson = '{"velocity_burst_count": 20, "cts_red_threshold": 0.9, "nonsense": 1}';
  const fault = await faultOf(PutThresholds({ tenant, changesJson }, callOptions));
  t.match(fault, { kind: 'invalid', code: 'VALIDATION_ERROR' });
  t.strictSame(read((await GetThresholds({ tenant }, callOptions)).overridesJson), {});
  const empty = await faultOf(PutThresholds({ tenant, changesJson: '{}' }, callOptions));
  t.match(empty, { kind: 'malformed', code: 'BAD_REQUEST' });
});

test('thresholds: concurrent changes that conflict are never both applied', async (t) => {
  const tenant = newTenant();
  const puts = Array.from({ length: 6 }, (_, index) => [
    PutThresholds({ tenant, changesJson: '{"cts_amber_threshold": 0.3}' }, callOptions),
    PutThresholds({ tenant, changesJson: `{"cts_red_threshold": 0.3${index}}` }, callOptions),
  ]);
  await Promise.allSettled(puts.flat());
  const { resolvedJson } = await GetThresholds({ tenant }, callOptions);
  const { cts_red_threshold: red, cts_amber_threshold: amber } = read(resolvedJson);
  t.ok(Number(red) < Number(amber), `${red} < ${amber}`);
});

test('thresholds: many concurrent changes are all applied', async (t) => {
  const tenant = newTenant();
  const { defaultsJson } = await GetThresholds({ tenant }, callOptions);
  const names = Object.keys(read(defaultsJson)).filter((name) => /_(count|seconds)$/.test(name));
  t.ok(names.length > 1);
  const changes = Array.from({ length: 40 }, (_, n) => names[n % names.length] ?? '');
  await Promise.all(
    changes.map((name) => PutThresholds({ tenant, changesJson: `{"${name}": 20}` }, callOptions)),
  );
  const { overridesJson } = await GetThresholds({ tenant }, callOptions);
  t.strictSame(Object.keys(read(overridesJson)).sort(), names.sort());
});

test('thresholds: changes that wait leave the connections to others', async (t) => {
  const tenant = newTenant();
  const other = await context.stores[callOptions.environment].pool.connect();
  t.teardown(() => other.release());
  await other.query('BEGIN');
  await other.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 2))', [tenant.principalId]);
  const waiting = async (): Promise<number> => {
    const { rows } = await other.query(`
      SELECT count(*)::int AS waiting FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND wait_event = 'advisory'`);
    return rows[0]?.waiting ?? 0;
  };
  const changesJson = '{"velocity_burst_count": 20}';
  const changes = Array.from({ length: 40 }, () =>
    PutThresholds({ tenant, changesJson }, callOptions),
  );
  await until(async () => (await waiting()) > 0, { what: 'a change that waits' });
  await GetThresholds({ tenant: newTenant() }, callOptions);
  t.ok((await waiting()) <= 1, 'one connection at most');
  await other.query('COMMIT');
  await Promise.allSettled(changes);
});

test('thresholds: they apply to one Principal, in one environment', async (t) => {
  const ids = newAgentIds();
  const tenant = { clientId: 'cli_1', principalId: ids.principalId };
  const changesJson = '{"step_up_amount_threshold": "10.00"}';
  await PutThresholds({ tenant, changesJson }, callOptions);
  identity.answers = [spendingFacts(ids)];
  t.match(read((await Authorize(authorizeRequest(ids), callOptions)).answer), {
    decision: 'STEP_UP',
    reason_codes: ['AMOUNT_STEP_UP'],
  });
  const inSandbox = { ...callOptions, environment: 'sandbox' } as const;
  t.strictSame(read((await GetThresholds({ tenant }, inSandbox)).overridesJson), {});
  t.strictSame(read((await GetThresholds({ tenant: newTenant() }, callOptions)).overridesJson), {});
  t.match(read((await Authorize(authorizeRequest(ids), inSandbox)).answer), {
    decision: 'APPROVE',
  });
});

test('a simulation gives the answer of a decision, and has no effect', async (t) => {
  const ids = newAgentIds();
  identity.answers = [spendingFacts(ids)];
  ledger.use(ids.mandateId, '185.00', 3);
  const before = ledger.proposals.length;
  const passed = read((await Simulate(authorizeRequest(ids), callOptions)).answer);
  t.match(passed, {
    decision: 'APPROVE',
    daily_amount_used: '195.00',
    daily_count_used: 4,
    simulated: true,
  });
  const request = authorizeRequest(ids, { amount: '20.00' });
  t.match(read((await Simulate(request, callOptions)).answer), {
    decision: 'DECLINE',
    reason_codes: ['DAILY_AMOUNT_EXCEEDED'],
    reason_detail: /exceeds the remaining 15\.00 USD of the daily limit/,
    daily_amount_used: '185.00',
    daily_count_used: 3,
  });
  const tenant = { clientId: 'cli_1', principalId: ids.principalId };
  await PutThresholds({ tenant, changesJson: '{"step_up_amount_threshold": "5.00"}' }, callOptions);
  const stepUp = async () => read((await Simulate(authorizeRequest(ids), callOptions)).answer);
  t.match(await stepUp(), { decision: 'STEP_UP', reason_codes: ['AMOUNT_STEP_UP'] });
  ledger.challengesFull.add(ids.agentId);
  t.match(await stepUp(), {
    decision: 'DECLINE',
    reason_codes: ['VELOCITY_BURST', 'AMOUNT_STEP_UP'],
  });
  identity.answers = [{}];
  t.match(read((await Simulate(authorizeRequest(ids), callOptions)).answer), {
    reason_codes: ['AGENT_NOT_FOUND'],
    simulated: true,
  });
  t.equal(ledger.proposals.length, before);
});

test('a simulation refuses a transaction that the decision would refuse', async (t) => {
  const ids = newAgentIds();
  const request = authorizeRequest(ids, { transactionId: newId('transaction') });
  const refused = async () => {
    const fault = await Simulate(request, callOptions).catch((error: unknown) => error);
    t.match(fault, { kind: 'invalid', errors: [{ field: 'transaction_id' }] });
  };
  identity.answers = [spendingFacts(ids)];
  await refused();
  identity.answers = [{ ...spendingFacts(ids), mandates: [] }];
  await refused();
});

async function openChallenge() {
  const ids = newAgentIds();
  const tenant = { clientId: 'cli_1', principalId: ids.principalId };
  await PutThresholds({ tenant, changesJson: '{"step_up_amount_threshold": "5.00"}' }, callOptions);
  identity.answers = [spendingFacts(ids)];
  const request = authorizeRequest(ids);
  await Authorize(request, callOptions);
  const authorizationId = request.authorizationId ?? '';
  const confirmedBy = ids.principalId;
  return { ids, confirm: { tenant, authorizationId, confirmedBy } };
}

test('a confirmation is judged again and reserved with the versions seen', async (t) => {
  const { ids, confirm } = await openChallenge();
  ledger.confirmOutcome = { outcome: 'confirmed', confirmedAt: '2026-11-21T12:00:00.000Z' };
  identity.answers = [spendingFacts(ids, { agent: { version: 7 } })];
  t.strictSame(await ConfirmStepUp(confirm, callOptions), {
    confirmedBy: ids.principalId,
    confirmedAt: '2026-11-21T12:00:00.000Z',
  });
  t.match(ledger.confirmations.at(-1)?.seen, [{ entityId: ids.agentId, version: 7 }]);
});

test('a confirmation that a fence refuses is judged again by newer facts', async (t) => {
  const { ids, confirm } = await openChallenge();
  const before = ledger.confirmations.length;
  const usual = ledger.confirmOutcome;
  t.teardown(() => {
    ledger.confirmOutcome = usual;
  });
  ledger.confirmOutcome = { outcome: 'stale' };
  identity.answers = [
    spendingFacts(ids, { mandate: { version: 1 } }),
    spendingFacts(ids, { mandate: { version: 2 } }),
    spendingFacts(ids, { mandate: { version: 3, maxAmountPerTransaction: '9.99' } }),
  ];
  const fault = await faultOf(ConfirmStepUp(confirm, callOptions));
  t.match(fault, { kind: 'malformed', code: 'STEP_UP_REQUIRED' });
  t.match(fault.message, 'AMOUNT_EXCEEDS_PER_TXN');
  const seen = ledger.confirmations.slice(before).map((each) => each.seen);
  t.same(
    seen.map((each) => each.find(({ entityId }) => entityId === ids.mandateId)?.version),
    [1, 2],
    'the third was not asked for',
  );
});

test('a refusal that no human can override stays, without a call to the ledger', async (t) => {
  const { ids, confirm } = await openChallenge();
  const before = ledger.confirmations.length;
  const refusals: Array<[patch: AgentPatch, code: string]> = [
    [{ agent: { status: 'SUSPENDED' } }, 'AGENT_SUSPENDED'],
    [{ principal: { verificationStatus: 'EXPIRED' } }, 'PRINCIPAL_NOT_VERIFIED'],
    [{ program: { status: 'PAUSED' } }, 'PROGRAM_SUSPENDED'],
    [{ mandate: { id: newId('mandate') } }, 'NO_ACTIVE_MANDATE'],
    [{ mandate: { validUntil: '2026-02-01T00:00:00.000Z' } }, 'NO_ACTIVE_MANDATE'],
    [{ mandate: { maxAmountPerTransaction: '1.00' } }, 'AMOUNT_EXCEEDS_PER_TXN'],
  ];
  for (const [patch, code] of refusals) {
    identity.answers = [spendingFacts(ids, patch)];
    const fault = await faultOf(ConfirmStepUp(confirm, callOptions));
    t.match(fault, { kind: 'malformed', code: 'STEP_UP_REQUIRED' }, code);
    t.match(fault.message, code);
  }
  t.equal(ledger.confirmations.length, before);
});

test('a challenge cannot be confirmed with a mandate that has been replaced', async (t) => {
  const { ids, confirm } = await openChallenge();
  const before = ledger.confirmations.length;
  const facts = spendingFacts(ids);
  const newer = { ...facts.mandates?.[0], id: newId('mandate') };
  const afterwards: Array<[what: string, mandates: object[]]> = [
    ['a newer one beside it', [newer, ...(facts.mandates ?? [])]],
    ['revoked, with another left', [newer]],
  ];
  for (const [what, mandates] of afterwards) {
    identity.answers = [{ ...facts, mandates }];
    const fault = await faultOf(ConfirmStepUp(confirm, callOptions));
    t.match(fault, { kind: 'malformed', code: 'STEP_UP_REQUIRED' }, what);
    t.match(fault.message, `NO_ACTIVE_MANDATE: The mandate ${ids.mandateId}`, what);
    t.match(fault.message, newer.id, what);
  }
  identity.answers = [
    { ...facts, agent: { ...facts.agent, status: 'SUSPENDED' }, mandates: [newer] },
  ];
  t.match((await faultOf(ConfirmStepUp(confirm, callOptions))).message, 'AGENT_SUSPENDED');
  t.equal(ledger.confirmations.length, before, 'without a call to the ledger');
  for (const other of [
    { ...newer, rails: ['crypto'] },
    { ...newer, validFrom: '2099-01-01T00:00:00.000Z' },
  ]) {
    identity.answers = [{ ...facts, mandates: [other, ...(facts.mandates ?? [])] }];
    await ConfirmStepUp(confirm, callOptions);
  }
  t.equal(
    ledger.confirmations.length,
    before + 2,
    'another rail, or a later time, replaces nothing',
  );
});

test("the ledger's result for a challenge is passed on unchanged", async (t) => {
  const { ids, confirm } = await openChallenge();
  identity.answers = [spendingFacts(ids)];
  const outcomes: Array<[outcome: string, words: RegExp]> = [
    ['limits_differ', /DAILY_AMOUNT_EXCEEDED/],
    ['expired', /expired/],
    ['already_answered', /already answered/],
  ];
  for (const [outcome, words] of outcomes) {
    ledger.confirmOutcome = { outcome, limitCodes: ['DAILY_AMOUNT_EXCEEDED'] };
    const fault = await faultOf(ConfirmStepUp(confirm, callOptions));
    t.match(fault, { kind: 'malformed', code: 'STEP_UP_REQUIRED' }, outcome);
    t.match(fault.message, words);
  }
  ledger.confirmOutcome = { outcome: 'stale' };
  t.equal((await faultOf(ConfirmStepUp(confirm, callOptions))).kind, 'unavailable');
  for (const status of ['EXPIRED', 'CONFIRMED', 'DENIED']) {
    ledger.stepUpStatus = status;
    t.equal((await faultOf(ConfirmStepUp(confirm, callOptions))).code, 'STEP_UP_REQUIRED', status);
  }
  ledger.stepUpStatus = 'PENDING';
});

test('a confirmation over a limit is told what remains, as a decline is', async (t) => {
  const { ids, confirm } = await openChallenge();
  const usual = ledger.confirmOutcome;
  t.teardown(() => {
    ledger.confirmOutcome = usual;
  });
  identity.answers = [
    spendingFacts(ids, { mandate: { maxDailyAmount: '200.00', maxDailyCount: 2 } }),
  ];
  ledger.use(ids.mandateId, '195.50', 2);
  const limitCodes = ['DAILY_AMOUNT_EXCEEDED', 'DAILY_COUNT_EXCEEDED'];
  ledger.confirmOutcome = { outcome: 'limits_differ', limitCodes };
  const refused = await faultOf(ConfirmStepUp(confirm, callOptions));
  t.match(refused, { kind: 'malformed', code: 'STEP_UP_REQUIRED' });
  await ResetThresholds({ tenant: confirm.tenant }, callOptions);
  const request = authorizeRequest(ids);
  await Authorize(request, callOptions);
  const { answer = '' } = ledger.records.get(request.authorizationId ?? '') ?? {};
  const { reason_detail: detail } = read(answer);
  t.match(
    detail,
    /the remaining 4.50 USD of the daily limit of 200.00 USD, .* 00:00 UTC; .* a day/,
  );
  t.equal(
    refused.message,
    `The step-up cannot be confirmed: ${limitCodes.join(', ')}: ${detail}`,
    'an agent that asks for the same payment reads the same',
  );
});

test('only a challenge can be confirmed', async (t) => {
  const ids = newAgentIds();
  identity.answers = [spendingFacts(ids)];
  const request = authorizeRequest(ids);
  await Authorize(request, callOptions);
  const tenant = { clientId: 'cli_1', principalId: ids.principalId };
  const confirm = { tenant, confirmedBy: ids.principalId };
  const { authorizationId } = request;
  const approved = await faultOf(ConfirmStepUp({ ...confirm, authorizationId }, callOptions));
  t.match(approved, { kind: 'malformed', code: 'STEP_UP_REQUIRED' });
  const unknown = { ...confirm, authorizationId: newId('authorization') };
  t.equal((await faultOf(ConfirmStepUp(unknown, callOptions))).kind, 'not_found');
});

test('an explanation shows inputs, rules and parts of scores from the record', async (t) => {
  const ids = newAgentIds();
  identity.answers = [spendingFacts(ids, { mandate: { allowedMccs: ['5411'] } })];
  const request = authorizeRequest(ids);
  await Authorize(request, callOptions);
  const tenant = { clientId: 'cli_1', principalId: ids.principalId };
  const { authorizationId } = request;
  const { explanationJson } = await ExplainAuthorization({ tenant, authorizationId }, callOptions);
  const explanation = read(explanationJson);
  t.match(explanation, {
    authorization_id: authorizationId,
    decision: 'DECLINE',
    counters: { daily_amount_used: '0.00', daily_count_used: 0 },
    judged: true,
    reproduced: true,
    reason_codes: ['MCC_REQUIRED'],
    scores: { kya: { compliance: 0.75 }, risk: { components: { velocity: 0 } }, zone: 'AMBER' },
    inputs: { decided_at: String, payment: { intent_context: { task_reference: 'task-1' } } },
  });
  const rules = explanation.rules as Array<{ rule: string; outcome: string }>;
  const fired = rules.filter(({ outcome }) => outcome === 'FIRED');
  t.strictSame(
    fired.map(({ rule }) => rule),
    ['mcc'],
  );
  t.ok(rules.length >= 20);
});

test('a recomputation is compared with every recorded number', async (t) => {
  const ids = newAgentIds();
  identity.answers = [spendingFacts(ids)];
  const changes: Record<string, (kept: CommitRequest) => Partial<CommitRequest>> = {
    nothing: () => ({}),
    kya: ({ kyaScore }) => ({ kyaScore: kyaScore + 0.01 }),
    risk: ({ riskScore }) => ({ riskScore: riskScore + 0.01 }),
    anomaly: (kept) => changed(kept, '"model":"anomaly-1","score":0,'),
    'a part of kya': (kept) => changed(kept, '"compliance":0.75'),
    'a part of risk': (kept) => changed(kept, '"velocity":0,'),
    'a part of the anomaly': (kept) => changed(kept, '"baselineSize":0,'),
    zone: ({ factsJson }) => ({ factsJson: factsJson.replace('"zone":"AMBER"', '"zone":"RED"') }),
    facts: (kept) => changed(kept, '"amount":"10.00"'),
  };
  for (const [what, change] of Object.entries(changes)) {
    const request = authorizeRequest(ids);
    await Authorize(request, callOptions);
    const { authorizationId = '' } = request;
    const kept = ledger.records.get(authorizationId);
    if (!kept) throw new Error('no record');
    Object.assign(kept.request, change(kept.request));
    const tenant = { clientId: 'cli_1', principalId: ids.principalId };
    const { explanationJson } = await ExplainAuthorization(
      { tenant, authorizationId },
      callOptions,
    );
    const { reproduced, facts_intact } = read(explanationJson);
    t.equal(reproduced, what === 'nothing', what);
    t.equal(facts_intact, what !== 'facts', `${what}: the facts are those that were judged`);
  }
});

/** Changes the last digit of the given part of the facts. */
function changed({ factsJson }: CommitRequest, where: string): Pick<CommitRequest, 'factsJson'> {
  if (!factsJson.includes(where)) throw new Error(`no ${where} in ${factsJson}`);
  return { factsJson: factsJson.replace(where, where.replace(/0(?=\D)/, '1')) };
}
