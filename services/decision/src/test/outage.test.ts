import { Fault } from '@countersign/kernel/fault';
import root, { type Test, test } from 'tap';
import { asked, authorizeRequest, newAgentIds, startDecision } from './decision-service.js';
import { spendingFacts } from './identity-in-test.js';

const { client, identity, ledger, stop } = await startDecision({ DECISION_DEADLINE_MS: '1200' });
const { Authorize, ExplainAuthorization } = client.call;
root.teardown(stop);

/** Far less than the caller would wait, and more than a busy machine adds. */
const soonMs = 5_000;

function lastProposal() {
  const proposal = ledger.proposals.at(-1);
  if (!proposal) throw new Error('nothing was proposed');
  return proposal;
}

async function faultOf(work: Promise<unknown>): Promise<Fault> {
  try {
    await work;
  } catch (error) {
    if (error instanceof Fault) return error;
  }
  throw new Error('no fault was thrown');
}

async function soon<T>(t: Test, work: Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const result = await work;
  t.ok(performance.now() - startedAt < soonMs, `within ${soonMs} ms`);
  return result;
}

test('identity away: a fail-safe DECLINE on record, a fault where nobody is named', async (t) => {
  const ids = newAgentIds();
  identity.silence.fall();
  t.teardown(() => identity.silence.end());
  const request = authorizeRequest(ids);
  const { answer } = await soon(t, Authorize(request, asked));
  t.match(JSON.parse(answer), { decision: 'DECLINE', reason_codes: ['SYSTEM_FAIL_SAFE'] });
  t.match(lastProposal(), { principalId: ids.principalId, seen: [], limitCodes: [] });
  t.equal(lastProposal().mandateId, undefined);
  const nameless = { ...authorizeRequest(ids), principalId: undefined };
  const fault = await soon(t, faultOf(Authorize(nameless, asked)));
  t.equal(fault.kind, 'deadline');
});

test('a ledger that says no or nothing: a fault in time, and nothing invented', async (t) => {
  const ids = newAgentIds();
  identity.answers = [spendingFacts(ids)];
  ledger.silence.fall();
  const silence = await soon(t, faultOf(Authorize(authorizeRequest(ids), asked)));
  ledger.silence.end();
  t.equal(silence.kind, 'deadline');
  ledger.refusing = true;
  const refusal = await soon(t, faultOf(Authorize(authorizeRequest(ids), asked)));
  ledger.refusing = false;
  t.equal(refusal.kind, 'deadline');
});

test('a fail-safe answer is explained as what it is: not judged', async (t) => {
  const ids = newAgentIds();
  identity.silence.fall();
  const request = authorizeRequest(ids);
  await Authorize(request, asked);
  identity.silence.end();
  const tenant = { clientId: 'cli_1', principalId: ids.principalId };
  const { authorizationId } = request;
  const { explanationJson } = await ExplainAuthorization({ tenant, authorizationId }, asked);
  t.match(JSON.parse(explanationJson), {
    judged: false,
    rules: [],
    scores: null,
    inputs: { cause: 'SERVICE_UNAVAILABLE', payment: { amount: '10.00' } },
  });
});
