import { until } from '@countersign/runtime/testing';
import { Wire } from '@countersign/runtime/testing/wire';
import root, { type Test, test } from 'tap';
import { authorizeRequest, callOptions, newAgentIds, startDecision } from './decision-service.js';
import { spendingFacts } from './fake-identity.js';
import { faultOf } from './fault-of.js';

const { client, context, identity, ledger, replica, stop } = await startDecision({
  DECISION_DEADLINE_MS: '1200',
});
/** For the answers that are none of a deadline. */
const patient = await replica({ DECISION_DEADLINE_MS: '6000' });
const { Authorize, ExplainAuthorization, PreviewThresholds } = client.call;
root.teardown(stop);

/** Far below the caller's deadline, and far above the delay that a busy machine adds. */
const soonMs = 5_000;

async function soon<T>(t: Test, work: Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const result = await work;
  t.ok(performance.now() - startedAt < soonMs, `within ${soonMs} ms`);
  return result;
}

test('without identity: a fail-safe DECLINE, or a fault without a Principal', async (t) => {
  const ids = newAgentIds();
  identity.stall.begin();
  t.teardown(() => identity.stall.end());
  const request = authorizeRequest(ids);
  const { answer } = await soon(t, Authorize(request, callOptions));
  t.match(JSON.parse(answer), { decision: 'DECLINE', reason_codes: ['SYSTEM_FAIL_SAFE'] });
  t.match(ledger.lastProposal(), { principalId: ids.principalId, seen: [], limitCodes: [] });
  t.equal(ledger.lastProposal().mandateId, undefined);
  const nameless = { ...authorizeRequest(ids), principalId: undefined };
  const fault = await soon(t, faultOf(Authorize(nameless, callOptions)));
  t.equal(fault.kind, 'deadline');
});

test('identity without its sandbox database declines nothing in live', async (t) => {
  const ids = newAgentIds();
  identity.answers = [spendingFacts(ids)];
  identity.without = 'sandbox';
  t.teardown(() => {
    identity.without = null;
  });
  const sandbox = { ...callOptions, environment: 'sandbox' } as const;
  await until(async () => {
    const before = identity.asked.length;
    await patient.client.call.Authorize(authorizeRequest(newAgentIds()), sandbox);
    return identity.asked.length === before;
  });
  const { answer } = await patient.client.call.Authorize(authorizeRequest(ids), callOptions);
  t.match(JSON.parse(answer), { decision: 'APPROVE' });
});

test('without identity: a key of another request is refused, not declined', async (t) => {
  identity.stall.begin();
  t.teardown(() => identity.stall.end());
  ledger.forced.push({ outcome: 'key_reused' });
  const request = authorizeRequest(newAgentIds());
  const fault = await faultOf(patient.client.call.Authorize(request, callOptions));
  t.match(fault, { kind: 'invalid', code: 'VALIDATION_ERROR' });
});

test('without identity and the ledger: a timely fault, since no answer is on record', async (t) => {
  identity.stall.begin();
  ledger.stall.begin();
  t.teardown(() => {
    identity.stall.end();
    ledger.stall.end();
  });
  const fault = await soon(t, faultOf(Authorize(authorizeRequest(newAgentIds()), callOptions)));
  t.equal(fault.kind, 'deadline');
});

test('with a ledger that refuses or hangs: a timely fault, and no invented answer', async (t) => {
  const ids = newAgentIds();
  identity.answers = [spendingFacts(ids)];
  ledger.stall.begin();
  const hanging = await soon(t, faultOf(Authorize(authorizeRequest(ids), callOptions)));
  ledger.stall.end();
  t.equal(hanging.kind, 'deadline');
  ledger.refusing = true;
  const refusal = await soon(t, faultOf(Authorize(authorizeRequest(ids), callOptions)));
  ledger.refusing = false;
  t.equal(refusal.kind, 'deadline');
});

test('without its database: a fail-safe DECLINE, whose cause is an outage', async (t) => {
  const ids = newAgentIds();
  identity.answers = [spendingFacts(ids)];
  const full = Object.assign(new Error('sorry, too many clients already'), { code: '53300' });
  const { restore } = t.intercept(context.stores[callOptions.environment].pool, 'query', {
    value: () => Promise.reject(full),
  });
  const { answer } = await soon(t, Authorize(authorizeRequest(ids), callOptions));
  restore();
  t.match(JSON.parse(answer), { decision: 'DECLINE', reason_codes: ['SYSTEM_FAIL_SAFE'] });
  const { factsJson } = ledger.lastProposal();
  t.match(JSON.parse(factsJson), { cause: 'SERVICE_UNAVAILABLE' });
});

test('a connection to its database that falls silent declines no more than its own', async (t) => {
  const wire = await Wire.to(context.config.databaseUrlLive);
  t.teardown(() => wire.close());
  const cut = await replica({
    DATABASE_URL_LIVE: wire.url,
    DECISION_DEADLINE_MS: '3000',
  });
  const ids = newAgentIds();
  identity.answers = [spendingFacts(ids)];
  wire.holdOne();
  let declined = 0;
  for (const _each of [1, 2, 3]) {
    const { answer } = await cut.client.call.Authorize(authorizeRequest(ids), callOptions);
    if (JSON.parse(answer).decision !== 'APPROVE') declined += 1;
  }
  t.ok(declined <= 1, 'at most the payment that found it out');
});

test('the explanation of a fail-safe answer says that it was not judged', async (t) => {
  const ids = newAgentIds();
  identity.stall.begin();
  const request = authorizeRequest(ids);
  await Authorize(request, callOptions);
  identity.stall.end();
  const tenant = { clientId: 'cli_1', principalId: ids.principalId };
  const { authorizationId } = request;
  const { explanationJson } = await ExplainAuthorization({ tenant, authorizationId }, callOptions);
  t.has(JSON.parse(explanationJson), {
    judged: false,
    counters: null,
    rules: [],
    scores: null,
    inputs: { cause: 'SERVICE_UNAVAILABLE', payment: { amount: '10.00' } },
  });
  const changesJson = '{"step_up_amount_threshold":"1.00"}';
  const asked = { tenant, agentId: ids.agentId, changesJson, limit: 100 };
  const { considered } = await PreviewThresholds(asked, callOptions);
  t.equal(considered, 0, 'a preview leaves it out');
});
