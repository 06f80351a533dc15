import { Fault } from '@countersign/kernel/fault';
import { newId } from '@countersign/kernel/id';
import root, { test } from 'tap';
import { readRecord, replay } from '../record.js';
import { asked, authorizeRequest, newAgentIds, startDecision } from './decision-service.js';
import { spendingFacts } from './identity-in-test.js';

const { client, identity, ledger, context, stop } = await startDecision();
const { Authorize, PutThresholds, RecordFailSafe } = client.call;
root.teardown(stop);

function lastProposal() {
  const proposal = ledger.proposals.at(-1);
  if (!proposal) throw new Error('nothing was proposed');
  return proposal;
}

function read(answer: string): Record<string, unknown> {
  return JSON.parse(answer) as Record<string, unknown>;
}

const replayOf = ({ answer }: { answer: string }) => ({
  answer,
  replayed: true,
  claimHolds: false,
});

async function faultOf(work: Promise<unknown>): Promise<Fault> {
  try {
    await work;
  } catch (error) {
    if (error instanceof Fault) return error;
  }
  throw new Error('no fault was thrown');
}

test('an approval answers every field of the document, in its order', async (t) => {
  const ids = newAgentIds();
  identity.answers = [spendingFacts(ids)];
  const request = authorizeRequest(ids, { clientReference: 'order-1' });
  const { answer, replayed } = await Authorize(request, asked);
  t.notOk(replayed);
  const body = read(answer);
  t.match(body, {
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

test('the record keeps the complete input, from which the same verdict follows', async (t) => {
  const ids = newAgentIds();
  identity.answers = [spendingFacts(ids, { mandate: { allowedMccs: ['5411'] } })];
  await Authorize(authorizeRequest(ids, { amount: '150.00' }), asked);
  const proposal = lastProposal();
  const { inputHash, policyHash, decision, reasonCodes, answerHead } = proposal;
  const verdict = replay(ledger.textsOf(proposal));
  t.equal(verdict?.decision, decision);
  t.strictSame(verdict?.reasonCodes, reasonCodes);
  t.strictSame(reasonCodes, ['MCC_REQUIRED', 'AMOUNT_EXCEEDS_PER_TXN']);
  t.ok(answerHead.includes(JSON.stringify(verdict?.reasonDetail)));
  const record = readRecord(ledger.textsOf(proposal));
  t.equal(inputHash, record?.inputHash);
  t.match(policyHash, /^sha256:[0-9a-f]{64}$/);
  t.hasOwnProps(record?.scores ?? {}, ['kya', 'zone', 'anomaly', 'risk']);
});

test('the text of a basis goes to the ledger once, and again where it is asked for', async (t) => {
  const ids = newAgentIds();
  identity.answers = [spendingFacts(ids)];
  const proposed = async (to = ids): Promise<string[]> => {
    const before = ledger.proposals.length;
    await Authorize(authorizeRequest(to), asked);
    return ledger.proposals.slice(before).map(({ basisJson, thresholdsJson }) => {
      if (basisJson === undefined) return 'names';
      return thresholdsJson === undefined ? 'basis' : 'basis and thresholds';
    });
  };
  ledger.forgetBases();
  t.strictSame((await proposed()).at(-1), 'basis and thresholds');
  t.strictSame(await proposed(), ['names']);
  ledger.forgetBases();
  t.strictSame(await proposed(), ['names', 'basis and thresholds']);
  t.strictSame(await proposed(), ['names']);
  ledger.forgetBases();
  ledger.use(ids.mandateId, '195.00');
  const told = 'basis and thresholds';
  t.strictSame(await proposed(), ['names', told, told], 'a ledger that objected has kept nothing');
  const others = newAgentIds();
  identity.answers = [spendingFacts(others)];
  t.strictSame(await proposed(others), ['basis'], 'thresholds that another has sent');
});

test('a limit that only the ledger sees is judged again, and says what remains', async (t) => {
  const ids = newAgentIds();
  identity.answers = [spendingFacts(ids)];
  ledger.use(ids.mandateId, '195.00');
  const before = ledger.proposals.length;
  const { answer } = await Authorize(authorizeRequest(ids), asked);
  t.equal(ledger.proposals.length - before, 2);
  t.match(read(answer), {
    decision: 'DECLINE',
    reason_codes: ['DAILY_AMOUNT_EXCEEDED'],
    reason_detail: /above the 5\.00 USD still available today of 200\.00 USD/,
    daily_amount_used: '195.00',
  });
});

test('a challenge that is one too many is judged again, and the record says why', async (t) => {
  const ids = newAgentIds();
  identity.answers = [spendingFacts(ids)];
  const tenant = { clientId: 'cli_1', principalId: ids.principalId };
  await PutThresholds({ tenant, changesJson: '{"step_up_amount_threshold": "1.00"}' }, asked);
  ledger.forced.push({ outcome: 'challenges_full' });
  const { answer } = await Authorize(authorizeRequest(ids), asked);
  t.match(read(answer), {
    decision: 'DECLINE',
    reason_codes: ['VELOCITY_BURST', 'AMOUNT_STEP_UP'],
  });
  t.equal(replay(ledger.textsOf(lastProposal()))?.decision, 'DECLINE');
});

test('an outdated fact is fetched anew, and the newer one decides', async (t) => {
  const ids = newAgentIds();
  const suspended = spendingFacts(ids, { agent: { status: 'SUSPENDED', version: 2 } });
  identity.answers = [spendingFacts(ids), suspended];
  ledger.fences.set(ids.agentId, 2);
  const { answer } = await Authorize(authorizeRequest(ids), asked);
  t.match(read(answer), { decision: 'DECLINE', reason_codes: ['AGENT_SUSPENDED'] });
  const [first, second] = ledger.proposals.slice(-2);
  t.equal(first?.decidedAt, second?.decidedAt, 'the time of the decision stays');
});

test('a mandate that is revoked after its end is told of no more', async (t) => {
  const ids = newAgentIds();
  const ended = { validUntil: '2026-01-01T00:00:00.000Z', version: 1 };
  const expired = spendingFacts(ids, { mandate: ended });
  identity.answers = [expired, { ...expired, mandates: [] }];
  const pay = async () => read((await Authorize(authorizeRequest(ids), asked)).answer);
  t.strictSame((await pay()).reason_codes, ['NO_ACTIVE_MANDATE', 'MANDATE_EXPIRED']);
  ledger.fences.set(ids.mandateId, 2);
  t.strictSame((await pay()).reason_codes, ['NO_ACTIVE_MANDATE']);
});

test('a ledger that is never content ends in a fail-safe DECLINE', async (t) => {
  for (const outcome of ['stale', 'limits_differ', 'challenges_full']) {
    const ids = newAgentIds();
    identity.answers = [spendingFacts(ids)];
    ledger.forced.push(...Array.from({ length: outcome === 'stale' ? 4 : 5 }, () => ({ outcome })));
    const { answer } = await Authorize(authorizeRequest(ids), asked);
    t.match(read(answer), { decision: 'DECLINE', reason_codes: ['SYSTEM_FAIL_SAFE'] });
    t.equal(ledger.forced.length, 0);
  }
});

test('the same key gives the same bytes; with another body it is refused', async (t) => {
  const ids = newAgentIds();
  identity.answers = [spendingFacts(ids)];
  const first = await Authorize(authorizeRequest(ids, { idempotencyKey: 'key-00000001' }), asked);
  const again = await Authorize(authorizeRequest(ids, { idempotencyKey: 'key-00000001' }), asked);
  t.strictSame(again, replayOf(first));
  const other = { idempotencyKey: 'key-00000001', amount: '11.00' };
  const fault = await faultOf(Authorize(authorizeRequest(ids, other), asked));
  t.match(fault, {
    kind: 'invalid',
    code: 'VALIDATION_ERROR',
    errors: [{ field: 'idempotency_key', type: 'idempotency_key_reuse' }],
  });
});

test('a key used here of late is looked up and not decided upon', async (t) => {
  const ids = newAgentIds();
  identity.answers = [spendingFacts(ids)];
  const request = () => authorizeRequest(ids, { idempotencyKey: 'key-of-late' });
  const looked = ledger.replayQuestions.length;
  const first = await Authorize(request(), asked);
  t.equal(ledger.replayQuestions.length, looked, 'a first use is not looked up');
  const proposed = ledger.proposals.length;
  t.strictSame(await Authorize(request(), asked), replayOf(first));
  const nameless = { ...request(), principalId: undefined };
  t.strictSame(await Authorize(nameless, asked), replayOf(first));
  t.equal(ledger.proposals.length, proposed);
});

test('where the ledger cannot look a key up, it is laid a proposal', async (t) => {
  const ids = newAgentIds();
  identity.answers = [spendingFacts(ids)];
  const request = () => authorizeRequest(ids, { idempotencyKey: 'key-not-found' });
  const first = await Authorize(request(), asked);
  const proposed = ledger.proposals.length;
  ledger.findsNoReplays = true;
  t.teardown(() => {
    ledger.findsNoReplays = false;
  });
  t.strictSame(await Authorize(request(), asked), replayOf(first));
  t.equal(ledger.proposals.length, proposed + 1);
});

test('a key that is taken for one used of late is decided upon', async (t) => {
  const ids = newAgentIds();
  identity.answers = [spendingFacts(ids)];
  const request = () => authorizeRequest(ids, { idempotencyKey: 'key-forgotten' });
  await Authorize(request(), asked);
  ledger.records.clear();
  t.match(await Authorize(request(), asked), { replayed: false });
});

test('a repeat of the same id is the same call, not a replay', async (t) => {
  const ids = newAgentIds();
  identity.answers = [spendingFacts(ids)];
  const request = authorizeRequest(ids);
  const first = await Authorize(request, asked);
  t.strictSame(await Authorize(request, asked), first);
});

test('a transaction of somebody else is refused, naming the field', async (t) => {
  const ids = newAgentIds();
  identity.answers = [spendingFacts(ids)];
  const request = authorizeRequest(ids, { transactionId: newId('transaction') });
  const fault = await faultOf(Authorize(request, asked));
  t.match(fault, { kind: 'invalid', errors: [{ field: 'transaction_id' }] });
});

test('an unknown agent is on record only for a known Principal, answered alike', async (t) => {
  const ids = newAgentIds();
  const before = ledger.proposals.length;
  identity.answers = [{}];
  const request = { ...authorizeRequest(ids), principalId: undefined };
  const nobody = read((await Authorize(request, asked)).answer);
  t.equal(ledger.proposals.length, before);
  identity.answers = [{ actingPrincipalId: ids.principalId }];
  const somebody = read((await Authorize(request, asked)).answer);
  t.equal(ledger.proposals.length, before + 1);
  t.strictSame({ ...somebody, processing_time_ms: 0 }, { ...nobody, processing_time_ms: 0 });
  t.match(nobody, {
    reason_codes: ['AGENT_NOT_FOUND'],
    kya_score: 0,
    trust_level: 'REGISTERED',
    mandate_id: null,
    agent_id: ids.agentId,
    daily_amount_used: '0.00',
    attestation: null,
  });
});

test('an agent of another Principal, or another than asked for, is unknown', async (t) => {
  const ids = newAgentIds();
  const wrongOwner = { ...spendingFacts(ids), actingPrincipalId: newId('principal') };
  for (const [answer, payment] of [
    [wrongOwner, {}],
    [spendingFacts(ids), { agentId: newId('agent') }],
    [spendingFacts(ids), { agentDid: 'did:key:another' }],
  ] as const) {
    identity.answers = [answer];
    const body = read((await Authorize(authorizeRequest(ids, payment), asked)).answer);
    t.strictSame(body.reason_codes, ['AGENT_NOT_FOUND']);
  }
});

test('what a caller sends can never be taken for a marker', async (t) => {
  const ids = newAgentIds();
  identity.answers = [spendingFacts(ids, { mandate: { allowedMerchants: ['m-1'] } })];
  const payment = { clientReference: '\ue000A\ue001', merchantId: '\ue000C\ue001' };
  const body = read((await Authorize(authorizeRequest(ids, payment), asked)).answer);
  t.equal(body.correlation_key, 'A');
  t.match(body.reason_detail, /Merchant id C is not allowed/);
});

test('its own database away: a fail-safe DECLINE on record', async (t) => {
  const ids = newAgentIds();
  identity.answers = [spendingFacts(ids)];
  const { pool } = context.stores.live;
  await pool.query('ALTER TABLE agent_standing RENAME TO agent_standing_away');
  const request = { ...authorizeRequest(ids), principalId: undefined };
  const { answer } = await Authorize(request, asked);
  await pool.query('ALTER TABLE agent_standing_away RENAME TO agent_standing');
  t.match(read(answer), { reason_codes: ['SYSTEM_FAIL_SAFE'] });
  t.equal(lastProposal().principalId, ids.principalId, 'as identity had told it');
});

test('an answer given at the edge is put on record as it was, however late', async (t) => {
  const ids = newAgentIds();
  const request = authorizeRequest(ids, { idempotencyKey: 'edge-0000001' });
  const answer = `{"authorization_id":"${request.authorizationId}","processing_time_ms":12.5}`;
  const handedIn = { request, decidedAt: '2026-01-01T00:00:00.000Z', answer };
  t.strictSame(await RecordFailSafe(handedIn, asked), { outcome: 'recorded' });
  t.match(lastProposal(), {
    decision: 'DECLINE',
    reasonCodes: ['SYSTEM_FAIL_SAFE'],
    decidedAt: '2026-01-01T00:00:00.000Z',
    processingTimeMs: 12.5,
    answerHead: answer,
    answerGiven: true,
  });
  t.strictSame(await RecordFailSafe(handedIn, asked), { outcome: 'replayed' });
  const reused = authorizeRequest(ids, { idempotencyKey: 'edge-0000001', amount: '11.00' });
  t.strictSame(await RecordFailSafe({ ...handedIn, request: reused }, asked), {
    outcome: 'recorded',
  });
  t.equal(lastProposal().idempotencyKey, undefined, 'the key stays with its first answer');
});

test('an answer given at the edge is recorded before that on which it threads', async (t) => {
  const ids = newAgentIds();
  identity.answers = [spendingFacts(ids)];
  const request = authorizeRequest(ids, { transactionId: newId('transaction') });
  const answer = `{"authorization_id":"${request.authorizationId}","processing_time_ms":1}`;
  const handedIn = { request, decidedAt: '2026-01-01T00:00:00.000Z', answer };
  t.strictSame(await RecordFailSafe(handedIn, asked), { outcome: 'recorded' });
  t.equal(lastProposal().transactionId, request.payment?.transactionId);
});

test('the edge may forget an answer that concerns nobody', async (t) => {
  const request = { ...authorizeRequest(newAgentIds()), principalId: undefined };
  identity.answers = [{}];
  const answer = '{"processing_time_ms":1}';
  const handedIn = { request, decidedAt: new Date().toISOString(), answer };
  t.strictSame(await RecordFailSafe(handedIn, asked), { outcome: 'dropped' });
  const ids = newAgentIds();
  identity.answers = [spendingFacts(ids)];
  t.strictSame(await RecordFailSafe(handedIn, asked), { outcome: 'recorded' });
  t.equal(lastProposal().principalId, ids.principalId, 'found through the agent');

  const named = { ...handedIn, request: authorizeRequest(ids) };
  identity.answers = [{}];
  t.strictSame(await RecordFailSafe(named, asked), { outcome: 'dropped' });
});
