import { readFile } from 'node:fs/promises';
import { canonicalHash } from '@countersign/kernel/canonical';
import { Fault, notOfThisClient } from '@countersign/kernel/fault';
import { isId, newId } from '@countersign/kernel/id';
import { until } from '@countersign/runtime/testing';
import { t as file, test } from 'tap';
import { startFailSafeDrainer } from '../fail-safe/drainer.js';
import { requestHash } from '../messages/payment.js';
import { routes } from '../routes.js';
import { authorization } from '../schemas/authorization.js';
import { authorize as schema } from '../schemas/payment.js';
import { startPaying } from './paying.js';
import { away } from './stand-ins.js';

const paying = await startPaying();
file.teardown(() => paying.close());
const { world, services, options, gateway, clientId, key, principalId, body, authorize } = paying;

/** Odd spacing and all: whatever the record holds is what goes out. */
const recorded = '{"decision" : "APPROVE","amounts":"1.10",\n "text":"ünïcode"}';

test('the answer is relayed byte for byte, and a replay says that it is one', async (t) => {
  services.forget();
  services.on('Authorize', () => ({ answer: recorded, replayed: false }));
  const first = await authorize();
  t.equal(first.status, 200);
  t.equal(first.text, recorded);
  t.equal(first.headers.get('idempotent-replayed'), null);
  services.on('Authorize', () => ({ answer: recorded, replayed: true }));
  const again = await authorize();
  t.equal(again.text, recorded);
  t.equal(again.headers.get('idempotent-replayed'), 'true');
});

test('the decision service is asked with minted ids, both hashes, the payment', async (t) => {
  services.forget();
  services.on('Authorize', () => ({ answer: recorded, replayed: false }));
  const sent = {
    ...body,
    amount: 10,
    idempotency_key: 'order-0001',
    metadata: { a: 1 },
    runtime_evidence: { b: 2 },
    vi_chain: { l1: 'x~', l2: 'y~' },
    chain_id: 8453,
  };
  const named = await gateway.call('/api/v1/authorize', {
    key,
    body: sent,
    headers: { 'X-Principal-Id': principalId },
  });
  t.equal(named.status, 200);
  const [asked] = services.requests('Authorize');
  t.ok(isId('authorization', asked.authorizationId));
  t.ok(isId('transaction', asked.transactionId));
  t.match(asked, { clientId, claimedPrincipalId: principalId });
  t.has(asked.payment, {
    agentId: body.agent_id,
    amount: '10',
    currency: 'USD',
    rail: 'CARD',
    mcc: '5411',
    intentContext: { taskReference: 'task-1', confidence: 0.9 },
    idempotencyKey: 'order-0001',
    metadataJson: '{"a":1}',
    runtimeEvidenceJson: '{"b":2}',
    viChainJson: '{"l1":"x~","l2":"y~"}',
    chainId: '8453',
  });
  t.equal(asked.bodyHash, canonicalHash(schema.parse(sent)));
  const { metadata, runtime_evidence, vi_chain, ...hashed } = sent;
  t.equal(asked.reqHash, requestHash(hashed), 'evidence and notes are not what was asked');

  await authorize({ ...sent, amount: '10.00' });
  const [, spelled] = services.requests('Authorize');
  t.equal(spelled.bodyHash, asked.bodyHash, '"10.00" and 10 are the same request');
  t.not(spelled.reqHash, asked.reqHash, 'but not the same text');
  t.equal(spelled.principalId, undefined, 'without a header the agent decides');
});

test('null counts as absent, and is part of the text that is hashed', async (t) => {
  services.forget();
  services.on('Authorize', () => ({ answer: recorded, replayed: false }));
  const { intent_context } = body;
  const nulls = {
    crypto: null,
    rail: null,
    agent_did: null,
    metadata: null,
    client_reference: null,
  };
  const sent = { ...body, ...nulls, intent_context: { ...intent_context, session_id: null } };
  t.equal((await authorize(sent)).status, 200);
  const [asked] = services.requests('Authorize');
  t.equal(asked.bodyHash, canonicalHash(schema.parse(body)), 'the same request');
  t.equal(asked.reqHash, requestHash(sent), 'in another text');
  const refused = await authorize({ ...sent, amount: null });
  t.equal(refused.status, 422);
  t.match(refused.json.error.details, { errors: [{ field: 'amount', type: 'required' }] });
});

test('req_hash is the published construction', async (t) => {
  const vector = {
    agent_id: 'agt_01JZTESTAGENT000000000000',
    amount: '279.99',
    currency: 'USD',
    intent_context: { task_reference: 'TASK-1' },
    merchant_id: 'merchant-uuid-1',
    rail: 'CARD',
    metadata: { left: 'out' },
  };
  t.equal(requestHash(vector), 'Sa1kRC4FO3qXSjnnN07z8-skKzAVWfm5-iCZelcD31Q');
});

test('a mistake of the caller is told as one', async (t) => {
  const reuse = new Fault('invalid', {
    code: 'VALIDATION_ERROR',
    message: 'Used before.',
    errors: [{ field: 'idempotency_key', message: 'used', type: 'idempotency_key_reuse' }],
  });
  services.on('Authorize', () => {
    throw reuse;
  });
  const refused = await authorize();
  t.equal(refused.status, 422);
  t.match(refused.json.error, {
    code: 'VALIDATION_ERROR',
    details: { errors: [{ type: 'idempotency_key_reuse' }] },
  });
  t.equal((await authorize({ ...body, amount: '0' })).status, 422);
});

test('with the decision service away: the safe decision, on disk before it is out', async (t) => {
  const replica = await world.replica(options, { routes });
  services.forget();
  services.on('Authorize', () => {
    throw away('ledger');
  });
  const sent = { ...body, currency: 'JPY', amount: '10', client_reference: 'order-9' };
  const answer = await authorize(sent, replica);
  t.equal(answer.status, 200);
  t.same(authorization.parse(answer.json), answer.json);
  t.has(answer.json, {
    decision: 'DECLINE',
    reason_codes: ['SYSTEM_FAIL_SAFE'],
    agent_id: body.agent_id,
    mandate_id: null,
    correlation_key: 'order-9',
    daily_amount_used: '0',
    attestation: null,
  });
  const [asked] = services.requests('Authorize');
  t.equal(answer.json.authorization_id, asked.authorizationId, 'under the id that was asked for');
  const journal = await readFile(replica.context.config.failSafeJournal, 'utf8');
  t.ok(journal.includes(JSON.stringify(answer.text)));
  t.equal(services.requests('RecordFailSafe').length, 0);
});

test('unknown failures are safe too, and a silent service within the deadline', async (t) => {
  const replica = await world.replica(options, { routes });
  services.on('Authorize', () => {
    throw new TypeError('a mistake of ours');
  });
  t.match((await authorize(body, replica)).json.reason_codes, ['SYSTEM_FAIL_SAFE']);
  services.on('Authorize', () => new Promise(() => {}));
  const started = Date.now();
  t.match((await authorize(body, replica)).json.reason_codes, ['SYSTEM_FAIL_SAFE']);
  const elapsed = Date.now() - started;
  t.ok(elapsed >= 1_300 && elapsed < 5_000, `${elapsed} ms`);
  const gone = await world.replica({ ...options, DECISION_ADDRESS: '127.0.0.1:1' }, { routes });
  t.match((await authorize(body, gone)).json.reason_codes, ['SYSTEM_FAIL_SAFE']);
});

test('a service that may be silent leaves time for the safe decision', async (t) => {
  const allowedMs = 60_000;
  const env = { ...options, AUTHORIZE_DEADLINE_MS: String(allowedMs) };
  const replica = await world.replica(env, { routes });
  const askedUntil = new Promise<number>((resolve) => {
    services.on('Authorize', (_, { deadlineAt }) => {
      resolve(deadlineAt);
      throw away('ledger');
    });
  });
  const beganAt = Date.now();
  await authorize(body, replica);
  t.ok((await askedUntil) < beganAt + allowedMs);
});

test('answers wait through a crash and leave only when they are acknowledged', async (t) => {
  services.on('Authorize', () => {
    throw away('ledger');
  });
  services.on('RecordFailSafe', () => {
    throw away('ledger');
  });
  const before = await world.replica(options, { routes });
  const sent = { ...body, idempotency_key: 'order-0004', vi_chain: { l1: 'secret~', l2: 'b~' } };
  const answered = await authorize(sent, before);
  const path = before.context.config.failSafeJournal;
  t.notOk((await readFile(path, 'utf8')).includes('secret~'), 'no credential lies about on a disk');
  await before.lifecycle.shutdown();

  services.forget();
  const after = await world.replica({ ...options, FAIL_SAFE_JOURNAL: path }, { routes });
  startFailSafeDrainer(after.context);
  await until(() => services.requests('RecordFailSafe').length > 0);
  t.equal(after.context.failSafeJournal.waiting.size, 1, 'refused, so it stays');
  t.equal((await authorize(sent, after)).text, answered.text, 'and its key keeps its answer');
  services.on('RecordFailSafe', () => ({ outcome: 'recorded' }));
  await until(() => after.context.failSafeJournal.waiting.size === 0, { timeoutMs: 15_000 });
  const [handed] = services.received.filter(({ method }) => method === 'RecordFailSafe').slice(-1);
  t.equal(handed?.environment, 'sandbox');
  t.match(handed?.request, {
    answer: answered.text,
    request: {
      authorizationId: answered.json.authorization_id,
      clientId,
      payment: { agentId: body.agent_id, idempotencyKey: 'order-0004' },
    },
  });
  t.equal(handed?.request.request.bodyHash, canonicalHash(schema.parse(sent)));
});

test('whose a named Principal is the decision service finds out, once', async (t) => {
  const sentFor = async (named: string) => {
    services.forget();
    services.on('Authorize', () => ({ answer: recorded, replayed: false, claimHolds: true }));
    const headers = { 'X-Principal-Id': named };
    const { status } = await gateway.call('/api/v1/authorize', { key, body, headers });
    const [{ principalId, claimedPrincipalId }] = services.requests('Authorize');
    return { status, principalId, claimedPrincipalId };
  };
  const named = newId('principal');
  const claimed = { status: 200, principalId: undefined, claimedPrincipalId: named };
  t.strictSame(await sentFor(named), claimed);
  t.strictSame(await sentFor(named), {
    status: 200,
    principalId: named,
    claimedPrincipalId: undefined,
  });
});

test('a claim that does not hold is refused, one that nobody vouched for stays one', async (t) => {
  const named = newId('principal');
  const call = () =>
    gateway.call('/api/v1/authorize', { key, body, headers: { 'X-Principal-Id': named } });
  services.forget();
  services.on('Authorize', () => ({ answer: recorded, replayed: false }));
  await call();
  services.on('Authorize', () => {
    throw notOfThisClient();
  });
  const refused = await call();
  t.equal(refused.status, 403);
  t.equal(refused.json.error.message, notOfThisClient().message);
  const [first, second] = services.requests('Authorize');
  t.strictSame([first.claimedPrincipalId, second.claimedPrincipalId], [named, named]);
});

test('a simulation proves whose a Principal is where the decision service says so', async (t) => {
  const named = newId('principal');
  const headers = { 'X-Principal-Id': named };
  const askedFor = async (claimHolds: boolean) => {
    services.on('Simulate', () => ({ answer: '{}', replayed: false, claimHolds }));
    await gateway.call('/api/v1/authorize/simulate', { key, body, headers });
    const { principalId, claimedPrincipalId } = services.requests('Simulate').at(-1);
    return { principalId, claimedPrincipalId };
  };
  const claimed = { principalId: undefined, claimedPrincipalId: named };
  t.strictSame(await askedFor(false), claimed);
  t.strictSame(await askedFor(true), claimed, 'the one before has proved nothing');
  t.strictSame(await askedFor(false), { principalId: named, claimedPrincipalId: undefined });
});

test('while nobody can say whose a Principal is: the safe decision, recorded later', async (t) => {
  const replica = await world.replica(options, { routes });
  startFailSafeDrainer(replica.context);
  services.forget();
  services.on('Authorize', () => {
    throw away('identity');
  });
  const named = newId('principal');
  const headers = { 'X-Principal-Id': named };
  const call = () => replica.call('/api/v1/authorize', { key, body, headers });
  services.on('ResolveActingPrincipal', () => ({ outcome: 'not_found' }));
  t.equal((await call()).status, 403, 'whoever can be asked is asked');
  t.equal(replica.context.failSafeJournal.waiting.size, 0);
  services.on('ResolveActingPrincipal', () => {
    throw away('identity');
  });
  const answer = await call();
  t.equal(answer.status, 200);
  t.same(answer.json.reason_codes, ['SYSTEM_FAIL_SAFE']);
  await until(() => replica.context.failSafeJournal.waiting.size === 0, { timeoutMs: 15_000 });
  const [handed] = services.received.filter(({ method }) => method === 'RecordFailSafe').slice(-1);
  const { principalId, claimedPrincipalId } = handed?.request.request ?? {};
  t.strictSame([principalId, claimedPrincipalId], [named, undefined], 'checked when recorded');
});

test('a simulation is relayed too, and says when it cannot be made', async (t) => {
  services.on('Simulate', () => ({ answer: '{"simulated":true}', replayed: false }));
  const simulate = () => gateway.call('/api/v1/authorize/simulate', { key, body });
  t.equal((await simulate()).text, '{"simulated":true}');
  services.on('Simulate', () => {
    throw away('ledger');
  });
  const refused = await simulate();
  t.ok(refused.status >= 400 && refused.status < 500, `${refused.status}`);
  t.equal(gateway.context.failSafeJournal.waiting.size, 0);
});
