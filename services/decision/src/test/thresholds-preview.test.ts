import root, { test } from 'tap';
import { authorizeRequest, callOptions, newAgentIds, startDecision } from './decision-service.js';
import { type AgentIds, spendingFacts } from './fake-identity.js';
import { faultOf } from './fault-of.js';

const { client, identity, ledger, stop } = await startDecision();
const { Authorize, PreviewThresholds, PutThresholds, GetThresholds } = client.call;
root.teardown(stop);

async function pay(ids: AgentIds, amounts: readonly string[]): Promise<string[]> {
  const mandate = { maxDailyAmount: '100000', maxMonthlyAmount: '100000' };
  const made: string[] = [];
  for (const amount of amounts) {
    identity.answers = [spendingFacts(ids, { mandate })];
    const request = authorizeRequest(ids, { amount });
    await Authorize(request, callOptions);
    made.push(request.authorizationId ?? '');
  }
  return made;
}

function preview({ agentId, principalId }: AgentIds, changes: object, limit = 100) {
  const tenant = { clientId: 'cli_1', principalId };
  const changesJson = JSON.stringify(changes);
  return PreviewThresholds({ tenant, agentId, changesJson, limit }, callOptions);
}

test('a preview reads page after page, newest first, and changes nothing', async (t) => {
  const ids = newAgentIds();
  const tenant = { clientId: 'cli_1', principalId: ids.principalId };
  // Above the number of requests after which a burst is a STEP_UP.
  const changesJson = JSON.stringify({ velocity_burst_count: 1000 });
  await PutThresholds({ tenant, changesJson }, callOptions);
  const amounts = Array.from({ length: 25 }, (_, index) => (index % 5 === 0 ? '30.00' : '5.00'));
  const made = await pay(ids, amounts);
  await pay(newAgentIds(), ['30.00']);
  const proposals = ledger.proposals.length;
  const large = made.filter((_, index) => amounts[index] === '30.00').reverse();
  const change = { step_up_amount_threshold: '30.00' };

  const all = await preview(ids, change);
  t.equal(all.considered, 25);
  t.same(all.before, { approve: 25, stepUp: 0, decline: 0 });
  t.same(all.after, { approve: 20, stepUp: 5, decline: 0 });
  t.same(
    all.changed.map(({ authorizationId }) => authorizationId),
    large,
  );
  const some = await preview(ids, change, 12);
  t.equal(some.considered, 12, 'no more than asked for');
  t.same(
    some.changed.map(({ authorizationId }) => authorizationId),
    large.slice(0, 2),
  );
  t.equal(ledger.proposals.length, proposals);
  const { overridesJson } = await GetThresholds({ tenant }, callOptions);
  t.same(JSON.parse(overridesJson), { velocity_burst_count: 1000 });
});

test('a change that PUT would refuse is refused with the same errors', async (t) => {
  const fault = await faultOf(preview(newAgentIds(), { cts_red_threshold: 0.5 }));
  t.match(fault, { code: 'VALIDATION_ERROR', errors: [{ field: 'cts_red_threshold' }] });
});

test('previews that come together are all answered', async (t) => {
  const ids = newAgentIds();
  await pay(ids, ['5.00', '30.00']);
  const change = { step_up_amount_threshold: '30.00' };
  const answers = await Promise.all(Array.from({ length: 10 }, () => preview(ids, change)));
  t.ok(answers.every(({ after }) => after?.stepUp === 1));
});
