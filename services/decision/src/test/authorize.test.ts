import { newId } from '@countersign/kernel/id';
import root, { test } from 'tap';
import { readRecord } from '../record/read-record.js';
import { authorizeRequest, callOptions, newAgentIds, startDecision } from './decision-service.js';
import { spendingFacts } from './fake-identity.js';
import { faultOf } from './fault-of.js';
import { readObject } from './read-object.js';
import { replay } from './replay.js';

const { client, identity, ledger, context, stop } = await startDecision();
const { Authorize, PutThresholds, RecordFailSafe } = client.call;
root.teardown(stop);

const replayOf = ({ answer }: { answer: string }) => ({
  answer,
  replayed: true,
  claimHolds: false,
});

test('an approval has every documented field, in the documented order', async (t) => {
  const ids = newAgentIds();
  identity.answers = [spendingFacts(ids)];
  const request = authorizeRequest(ids, { clientReference: 'order-1' });
  const { answer, replayed } = await Authorize(request, callOptions);
  t.notOk(replayed);
  const body = readObject(answer);
  t.has(body, {
    authorization_id: request.authorizationId,
    transaction_id: request.transactionId,
    correlation_key: 'order-1',
    decision: 'APPROVE',
    reason_codes: [],
    agent_id: ids.agentId,
    mandate_id: ids.mandateId,
    kya_score: 0.6225,
    trust_level: 'REGISTERED',
    risk_assessment: { highest_severity: 'NONE', condition_code: 'CLEAN' },
    daily_amount_used: '10.00',
    monthly_amount_used: '10.00',
    daily_count_used: 1,
    monthly_count_used: 1,
    intent_anomaly_skipped: true,
    cognitive_limit_active: false,
    cognitive_limit_multiplier: 1,
    attestation: { format: 'jws', typ: 'authorization-decision+jwt', alg: 'ES256' },
  });
  t.equal(typeof body.processing_time_ms, 'number');
  t.equal(ledger.lastProposal().eventIsPacked, true, 'no webhook announces it');
  t.strictSame(Object.keys(body), [
    ...['authorization_id', 'transaction_id', 'correlation_key', 'decision', 'reason_codes'],
    ...['reason_detail', 'agent_id', 'mandate_id', 'kya_score', 'trust_level', 'risk_score'],
    ...['risk_assessment', 'daily_amount_used', 'monthly_amount_used', 'daily_count_used'],
    ...['monthly_count_used', 'intent_context_provided', 'intent_anomaly_score'],
    ...['intent_anomaly_triggered', 'intent_anomaly_skipped', 'vi_verified', 'vi_mode'],
    ...['cognitive_limit_active', 'cognitive_limit_multiplier', 'session_terminate_recommended'],
    ...['attestation', 'processing_time_ms'],
  ]);
});

test('the record has the complete input, from which the verdict can be reproduced', async (t) => {
  const ids = newAgentIds();
  identity.answers = [spendingFacts(ids, { mandate: { allowedMccs: ['5411'] } })];
  await Authorize(authorizeRequest(ids, { amount: '150.00' }), callOptions);
  const proposal = ledger.lastProposal();
  const { inputHash, policyHash, decision, reasonCodes, answerTemplate } = proposal;
  const verdict = replay(ledger.textsOf(proposal));
  t.equal(verdict?.decision, decision);
  t.strictSame(verdict?.reasonCodes, reasonCodes);
  t.strictSame(reasonCodes, ['MCC_REQUIRED', 'AMOUNT_EXCEEDS_PER_TXN']);
  t.equal(proposal.eventIsPacked, false);
  t.ok(answerTemplate.includes(JSON.stringify(verdict?.reasonDetail)));
  const record = readRecord(ledger.textsOf(proposal));
  t.equal(inputHash, record?.inputHash);
  t.match(policyHash, /^sha256:[0-9a-f]{64}$/);
  t.hasOwnProps(record?.scores ?? {}, ['kya', 'zone', 'anomaly', 'risk']);
});

test('the text of a basis is sent to the ledger once, and again on request', async (t) => {
  const ids = newAgentIds();
  identity.answers = [spendingFacts(ids)];
  const proposed = async (to = ids): Promise<string[]> => {
    const before = ledger.proposals.length;
    await Authorize(authorizeRequest(to), callOptions);
    return ledger.proposals.slice(before).map(({ basisJson, thresholdsJson }) => {
      if (basisJson === undefined) return 'names';
      return thresholdsJson === undefined ? 'basis' : 'basis and thresholds';
    });
  };
  ledger.bases.forget();
  t.strictSame((await proposed()).at(-1), 'basis and thresholds');
  t.strictSame(await proposed(), ['names']);
  ledger.bases.forget();
  t.strictSame(await proposed(), ['names', 'basis and thresholds']);
  t.strictSame(await proposed(), ['names']);
  ledger.bases.forget();
  ledger.use(ids.mandateId, '195.00');
  const told = 'basis and thresholds';
  t.strictSame(
    await proposed(),
    ['names', told, told],
    'a ledger that objected has stored nothing',
  );
  const others = newAgentIds();
  identity.answers = [spendingFacts(others)];
  t.strictSame(await proposed(others), ['basis'], 'the thresholds are known from another agent');
});

test('a limit reported by the ledger is judged again, naming what remains', async (t) => {
  const ids = newAgentIds();
  identity.answers = [spendingFacts(ids)];
  ledger.use(ids.mandateId, '195.00');
  const before = ledger.proposals.length;
  const { answer } = await Authorize(authorizeRequest(ids), callOptions);
  t.equal(ledger.proposals.length - before, 2);
  t.match(readObject(answer), {
    decision: 'DECLINE',
    reason_codes: ['DAILY_AMOUNT_EXCEEDED'],
    reason_detail: /exceeds the remaining 5\.00 USD of the daily limit of 200\.00 USD/,
    daily_amount_used: '195.00',
  });
});

test('a challenge beyond the limit of open ones is declined on record', async (t) => {
  const ids = newAgentIds();
  identity.answers = [spendingFacts(ids)];
  const tenant = { clientId: 'cli_1', principalId: ids.principalId };
  await PutThresholds({ tenant, changesJson: '{"step_up_amount_threshold": "1.00"}' }, callOptions);
  ledger.forced.push({ outcome: 'challenges_full' });
  const { answer } = await Authorize(authorizeRequest(ids), callOptions);
  t.match(readObject(answer), {
    decision: 'DECLINE',
    reason_codes: ['VELOCITY_BURST', 'AMOUNT_STEP_UP'],
  });
  t.equal(replay(ledger.textsOf(ledger.lastProposal()))?.decision, 'DECLINE');
});

test('an outdated fact is fetched again, and the new one decides', async (t) => {
  const ids = newAgentIds();
  const suspended = spendingFacts(ids, { agent: { status: 'SUSPENDED', version: 2 } });
  identity.answers = [spendingFacts(ids), suspended];
  ledger.fences.set(ids.agentId, 2);
  const { answer } = await Authorize(authorizeRequest(ids), callOptions);
  t.match(readObject(answer), { decision: 'DECLINE', reason_codes: ['AGENT_SUSPENDED'] });
  const [first, second] = ledger.proposals.slice(-2);
  t.equal(first?.decidedAt, second?.decidedAt, 'the time of the decision does not change');
});

test('after the ledger has told of another epoch, every agent is asked for again', async (t) => {
  const [one, two] = [newAgentIds(), newAgentIds()];
  const asOf = (ids: typeof one, status: string) => spendingFacts(ids, { agent: { status } });
  const pay = async (ids: typeof one) =>
    readObject((await Authorize(authorizeRequest(ids), callOptions)).answer).decision;
  for (const ids of [one, two]) {
    identity.answers = [asOf(ids, 'ACTIVE')];
    t.equal(await pay(ids), 'APPROVE');
  }
  const { epoch } = ledger.lastProposal();
  ledger.forced.push({ outcome: 'stale', epoch: 'restored' });
  identity.answers = [asOf(one, 'SUSPENDED'), asOf(two, 'SUSPENDED')];
  t.equal(await pay(one), 'DECLINE');
  t.equal(await pay(two), 'DECLINE', 'although nothing fences it off');
  const epochs = ledger.proposals.slice(-3).map((proposal) => proposal.epoch);
  t.strictSame(epochs, [epoch, 'restored', 'restored']);
});

test('a mandate revoked after it expired is no longer reported', async (t) => {
  const ids = newAgentIds();
  const ended = { validUntil: '2026-01-01T00:00:00.000Z', version: 1 };
  const expired = spendingFacts(ids, { mandate: ended });
  identity.answers = [expired, { ...expired, mandates: [] }];
  const pay = async () => readObject((await Authorize(authorizeRequest(ids), callOptions)).answer);
  t.strictSame((await pay()).reason_codes, ['NO_ACTIVE_MANDATE', 'MANDATE_EXPIRED']);
  ledger.fences.set(ids.mandateId, 2);
  t.strictSame((await pay()).reason_codes, ['NO_ACTIVE_MANDATE']);
});

test('a ledger that always objects leads to a fail-safe DECLINE', async (t) => {
  for (const outcome of ['stale', 'limits_differ', 'challenges_full']) {
    const ids = newAgentIds();
    identity.answers = [spendingFacts(ids)];
    ledger.forced.push(...Array.from({ length: outcome === 'stale' ? 4 : 5 }, () => ({ outcome })));
    const { answer } = await Authorize(authorizeRequest(ids), callOptions);
    t.match(readObject(answer), { decision: 'DECLINE', reason_codes: ['SYSTEM_FAIL_SAFE'] });
    t.equal(ledger.forced.length, 0);
  }
});

test('an idempotency key replays the same bytes, and is refused with another body', async (t) => {
  const ids = newAgentIds();
  identity.answers = [spendingFacts(ids)];
  const first = await Authorize(
    authorizeRequest(ids, { idempotencyKey: 'key-00000001' }),
    callOptions,
  );
  const again = await Authorize(
    authorizeRequest(ids, { idempotencyKey: 'key-00000001' }),
    callOptions,
  );
  t.strictSame(again, replayOf(first));
  const other = { idempotencyKey: 'key-00000001', amount: '11.00' };
  const fault = await faultOf(Authorize(authorizeRequest(ids, other), callOptions));
  t.match(fault, {
    kind: 'invalid',
    code: 'VALIDATION_ERROR',
    errors: [{ field: 'idempotency_key', type: 'idempotency_key_reuse' }],
  });
});

test('a recently used key is looked up instead of being judged', async (t) => {
  const ids = newAgentIds();
  identity.answers = [spendingFacts(ids)];
  const request = () => authorizeRequest(ids, { idempotencyKey: 'key-of-late' });
  const looked = ledger.replayQuestions.length;
  const first = await Authorize(request(), callOptions);
  t.equal(ledger.replayQuestions.length, looked, 'a first use is not looked up');
  const proposed = ledger.proposals.length;
  t.strictSame(await Authorize(request(), callOptions), replayOf(first));
  const nameless = { ...request(), principalId: undefined };
  t.strictSame(await Authorize(nameless, callOptions), replayOf(first));
  t.equal(ledger.proposals.length, proposed);
});

test('a ledger that cannot look keys up gets a proposal', async (t) => {
  const ids = newAgentIds();
  identity.answers = [spendingFacts(ids)];
  const request = () => authorizeRequest(ids, { idempotencyKey: 'key-not-found' });
  const first = await Authorize(request(), callOptions);
  const proposed = ledger.proposals.length;
  ledger.findsNoReplays = true;
  t.teardown(() => {
    ledger.findsNoReplays = false;
  });
  t.strictSame(await Authorize(request(), callOptions), replayOf(first));
  t.equal(ledger.proposals.length, proposed + 1);
});

test('a key wrongly believed to be recent is decided normally', async (t) => {
  const ids = newAgentIds();
  identity.answers = [spendingFacts(ids)];
  const request = () => authorizeRequest(ids, { idempotencyKey: 'key-forgotten' });
  await Authorize(request(), callOptions);
  ledger.records.clear();
  t.match(await Authorize(request(), callOptions), { replayed: false });
});

test('a repeat of the same authorization id is a retry, not a replay', async (t) => {
  const ids = newAgentIds();
  identity.answers = [spendingFacts(ids)];
  const request = authorizeRequest(ids);
  const first = await Authorize(request, callOptions);
  t.strictSame(await Authorize(request, callOptions), first);
});

test('the transaction id of another Principal is refused, naming the field', async (t) => {
  const ids = newAgentIds();
  identity.answers = [spendingFacts(ids)];
  const request = authorizeRequest(ids, { transactionId: newId('transaction') });
  const fault = await faultOf(Authorize(request, callOptions));
  t.match(fault, { kind: 'invalid', errors: [{ field: 'transaction_id' }] });
});

test('an unknown agent is answered alike, and recorded for a known Principal', async (t) => {
  const ids = newAgentIds();
  const before = ledger.proposals.length;
  identity.answers = [{}];
  const request = { ...authorizeRequest(ids), principalId: undefined };
  const nobody = readObject((await Authorize(request, callOptions)).answer);
  t.equal(ledger.proposals.length, before);
  identity.answers = [{ actingPrincipalId: ids.principalId }];
  const somebody = readObject((await Authorize(request, callOptions)).answer);
  t.equal(ledger.proposals.length, before + 1);
  t.strictSame({ ...somebody, processing_time_ms: 0 }, { ...nobody, processing_time_ms: 0 });
  t.has(nobody, {
    reason_codes: ['AGENT_NOT_FOUND'],
    kya_score: 0,
    trust_level: 'REGISTERED',
    mandate_id: null,
    agent_id: ids.agentId,
    daily_amount_used: '0.00',
    attestation: null,
  });
});

test('an agent of another Principal is unknown, as is one whose DID does not match', async (t) => {
  const ids = newAgentIds();
  const wrongOwner = { ...spendingFacts(ids), actingPrincipalId: newId('principal') };
  for (const [answer, payment] of [
    [wrongOwner, {}],
    [spendingFacts(ids), { agentId: newId('agent') }],
    [spendingFacts(ids), { agentDid: 'did:key:another' }],
  ] as const) {
    identity.answers = [answer];
    const body = readObject((await Authorize(authorizeRequest(ids, payment), callOptions)).answer);
    t.strictSame(body.reason_codes, ['AGENT_NOT_FOUND']);
  }
});

test('no input of a caller can be taken for a placeholder of the answer', async (t) => {
  const ids = newAgentIds();
  identity.answers = [spendingFacts(ids, { mandate: { allowedMerchants: ['m-1'] } })];
  const payment = { clientReference: '\ue000A\ue001', merchantId: '\ue000C\ue001' };
  const body = readObject((await Authorize(authorizeRequest(ids, payment), callOptions)).answer);
  t.equal(body.correlation_key, 'A');
  t.match(body.reason_detail, /Merchant id C is not allowed/);
});

test('without its own database decision records a fail-safe DECLINE', async (t) => {
  const ids = newAgentIds();
  identity.answers = [spendingFacts(ids)];
  const { pool } = context.stores.live;
  await pool.query('ALTER TABLE agent_profile RENAME TO agent_profile_away');
  const request = { ...authorizeRequest(ids), principalId: undefined };
  const { answer } = await Authorize(request, callOptions);
  await pool.query('ALTER TABLE agent_profile_away RENAME TO agent_profile');
  t.match(readObject(answer), { reason_codes: ['SYSTEM_FAIL_SAFE'] });
  t.equal(ledger.lastProposal().principalId, ids.principalId, "from identity's answer");
});

test('a fail-safe answer of the gateway is recorded unchanged, however late', async (t) => {
  const ids = newAgentIds();
  const request = authorizeRequest(ids, { idempotencyKey: 'edge-0000001' });
  const answer = `{"authorization_id":"${request.authorizationId}","processing_time_ms":12.5}`;
  const handedIn = { request, decidedAt: '2026-01-01T00:00:00.000Z', answer };
  t.strictSame(await RecordFailSafe(handedIn, callOptions), { outcome: 'recorded' });
  t.match(ledger.lastProposal(), {
    decision: 'DECLINE',
    agentId: ids.agentId,
    reasonCodes: ['SYSTEM_FAIL_SAFE'],
    decidedAt: '2026-01-01T00:00:00.000Z',
    processingTimeMs: 12.5,
    answerHead: answer,
    answerGiven: true,
  });
  t.strictSame(await RecordFailSafe(handedIn, callOptions), { outcome: 'replayed' });
  const reused = authorizeRequest(ids, { idempotencyKey: 'edge-0000001', amount: '11.00' });
  t.strictSame(await RecordFailSafe({ ...handedIn, request: reused }, callOptions), {
    outcome: 'recorded',
  });
  t.equal(ledger.lastProposal().idempotencyKey, undefined, 'the key belongs to its first answer');
});

test('a fail-safe answer given by a clock that is ahead does not wait for its time', async (t) => {
  const ids = newAgentIds();
  const request = authorizeRequest(ids);
  const answer = `{"authorization_id":"${request.authorizationId}","processing_time_ms":1}`;
  const decidedAt = '2999-01-01T00:00:00.000Z';
  const handedIn = { request, decidedAt, answer };
  t.strictSame(await RecordFailSafe(handedIn, callOptions), { outcome: 'recorded' });
  t.ok(Date.parse(ledger.lastProposal().decidedAt) <= Date.now());
});

test('a fail-safe answer is recorded before that of its transaction', async (t) => {
  const ids = newAgentIds();
  identity.answers = [spendingFacts(ids)];
  const request = authorizeRequest(ids, { transactionId: newId('transaction') });
  const answer = `{"authorization_id":"${request.authorizationId}","processing_time_ms":1}`;
  const handedIn = { request, decidedAt: '2026-01-01T00:00:00.000Z', answer };
  t.strictSame(await RecordFailSafe(handedIn, callOptions), { outcome: 'recorded' });
  t.equal(ledger.lastProposal().transactionId, request.payment?.transactionId);
});

test('the gateway may discard an answer whose Principal does not exist', async (t) => {
  const request = { ...authorizeRequest(newAgentIds()), principalId: undefined };
  identity.answers = [{}];
  const answer = '{"processing_time_ms":1}';
  const handedIn = { request, decidedAt: new Date().toISOString(), answer };
  t.strictSame(await RecordFailSafe(handedIn, callOptions), { outcome: 'dropped' });
  const ids = newAgentIds();
  identity.answers = [spendingFacts(ids)];
  t.strictSame(await RecordFailSafe(handedIn, callOptions), { outcome: 'recorded' });
  t.equal(ledger.lastProposal().principalId, ids.principalId, 'found by the agent');

  identity.answers = [spendingFacts(ids)];
  await Authorize(authorizeRequest(ids), callOptions);
  identity.answers = [{}];
  const named = { ...handedIn, request: authorizeRequest(ids) };
  const dropped = await RecordFailSafe(named, callOptions);
  t.strictSame(dropped, { outcome: 'dropped' }, 'whatever is held of its agent');
});
