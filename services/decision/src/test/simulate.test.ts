import { newId } from '@countersign/kernel/id';
import root, { test } from 'tap';
import { authorizeRequest, callOptions, newAgentIds, startDecision } from './decision-service.js';
import { spendingFacts } from './fake-identity.js';
import { readObject } from './read-object.js';

const { client, identity, ledger, stop } = await startDecision();
const { Simulate, PutThresholds } = client.call;
root.teardown(stop);

test('a simulation gives the answer of a decision, and has no effect', async (t) => {
  const ids = newAgentIds();
  identity.answers = [spendingFacts(ids)];
  ledger.use(ids.mandateId, '185.00', 3);
  const before = ledger.proposals.length;
  const passed = readObject((await Simulate(authorizeRequest(ids), callOptions)).answer);
  t.has(passed, {
    decision: 'APPROVE',
    daily_amount_used: '195.00',
    daily_count_used: 4,
    simulated: true,
  });
  const request = authorizeRequest(ids, { amount: '20.00' });
  t.match(readObject((await Simulate(request, callOptions)).answer), {
    decision: 'DECLINE',
    reason_codes: ['DAILY_AMOUNT_EXCEEDED'],
    reason_detail: /exceeds the remaining 15\.00 USD of the daily limit/,
    daily_amount_used: '185.00',
    daily_count_used: 3,
  });
  const tenant = { clientId: 'cli_1', principalId: ids.principalId };
  await PutThresholds({ tenant, changesJson: '{"step_up_amount_threshold": "5.00"}' }, callOptions);
  const stepUp = async () =>
    readObject((await Simulate(authorizeRequest(ids), callOptions)).answer);
  t.match(await stepUp(), { decision: 'STEP_UP', reason_codes: ['AMOUNT_STEP_UP'] });
  ledger.challengesFull.add(ids.agentId);
  t.match(await stepUp(), {
    decision: 'DECLINE',
    reason_codes: ['VELOCITY_BURST', 'AMOUNT_STEP_UP'],
  });
  identity.answers = [{}];
  t.match(readObject((await Simulate(authorizeRequest(ids), callOptions)).answer), {
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
  identity.answers = [{}];
  const { answer } = await Simulate(request, callOptions);
  t.match(readObject(answer), { reason_codes: ['AGENT_NOT_FOUND'] }, 'nobody can have it');
});
