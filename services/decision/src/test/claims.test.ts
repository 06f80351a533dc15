import { Fault } from '@countersign/kernel/fault';
import type { PaymentInput } from '@countersign/proto/decision';
import root, { test } from 'tap';
import { authorizeRequest, callOptions, newAgentIds, startDecision } from './decision-service.js';
import { type AgentIds, spendingFacts } from './fake-identity.js';

const { client, identity, ledger, stop } = await startDecision();
const { Authorize, Simulate } = client.call;
root.teardown(stop);

/** The gateway claims that the Principal is its Client's without having asked identity. */
function claiming(ids: AgentIds, payment: PaymentInput = {}) {
  const { principalId, ...request } = authorizeRequest(ids, payment);
  return { ...request, claimedPrincipalId: principalId };
}

async function kindOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'answered',
    (error: unknown) => (error instanceof Fault ? error.kind : 'broken'),
  );
}

test('a true claim of ownership is decided, and confirmed to the gateway', async (t) => {
  const ids = newAgentIds();
  identity.answers = [spendingFacts(ids)];
  for (const ask of [Simulate, Authorize]) {
    t.notOk((await ask(authorizeRequest(ids), callOptions)).claimHolds, 'none was made');
    const { answer, claimHolds } = await ask(claiming(ids), callOptions);
    t.match(JSON.parse(answer), { decision: 'APPROVE', agent_id: ids.agentId });
    t.ok(claimHolds);
  }
  t.equal(identity.asked.at(-1)?.principalId, ids.principalId);
  t.equal(ledger.proposals.at(-1)?.principalId, ids.principalId);
});

test('the Principal of another Client is refused, and nothing is recorded', async (t) => {
  const ids = newAgentIds();
  const proposed = ledger.proposals.length;
  identity.answers = [{}];
  t.equal(await kindOf(Authorize(claiming(ids), callOptions)), 'forbidden');
  t.equal(await kindOf(Simulate(claiming(ids), callOptions)), 'forbidden');
  t.equal(ledger.proposals.length, proposed);
});

test('without identity a claim ends in a fault, and nothing is recorded', async (t) => {
  const proposed = ledger.proposals.length;
  identity.stall.begin();
  const kind = await kindOf(Authorize(claiming(newAgentIds()), callOptions));
  identity.stall.end();
  t.equal(kind, 'deadline');
  t.equal(ledger.proposals.length, proposed);
});

test('a replay is looked up only after the claim was verified', async (t) => {
  const ids = newAgentIds();
  const payment = { idempotencyKey: 'key-claimed' };
  identity.answers = [spendingFacts(ids)];
  const first = await Authorize(claiming(ids, payment), callOptions);
  const looked = ledger.replayQuestions.length;
  t.strictSame(await Authorize(claiming(ids, payment), callOptions), { ...first, replayed: true });
  t.equal(ledger.replayQuestions.length, looked + 1);

  identity.answers = [{}];
  const stranger = { ...claiming(ids, payment), claimedPrincipalId: newAgentIds().principalId };
  t.equal(await kindOf(Authorize(stranger, callOptions)), 'forbidden');
  t.equal(ledger.replayQuestions.length, looked + 1);
});
