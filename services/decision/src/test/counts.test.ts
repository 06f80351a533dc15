import root, { test } from 'tap';
import { authorizeRequest, callOptions, newAgentIds, startDecision } from './decision-service.js';
import { spendingFacts } from './fake-identity.js';

const { client, context, identity, ledger, stop } = await startDecision();
root.teardown(stop);

type Labels = Record<string, string | number>;

async function counted(name: string): Promise<Array<Labels & { value: number }>> {
  const metric = await context.metrics.registry.getSingleMetric(`countersign_${name}`)?.get();
  const seen = metric?.values.filter(({ value }) => value > 0) ?? [];
  return seen.map(({ labels, value }) => ({ ...(labels as Labels), value }));
}

test('a recorded decision and its reasons are counted once, however often replayed', async (t) => {
  const ids = newAgentIds();
  identity.answers = [spendingFacts(ids)];
  const request = () => authorizeRequest(ids, { idempotencyKey: 'counted-once' });
  t.match(await client.call.Authorize(request(), callOptions), { replayed: false });
  // Then only the ledger's answer to the proposal tells that it is a replay.
  ledger.findsNoReplays = true;
  t.match(await client.call.Authorize(request(), callOptions), { replayed: true });
  t.strictSame(await counted('decision_reasons_total'), []);

  const other = newAgentIds();
  identity.answers = [spendingFacts(other, { mandate: { allowedMccs: ['5411'] } })];
  await client.call.Authorize(authorizeRequest(other, { mcc: '5812' }), callOptions);
  t.strictSame(await counted('decisions_total'), [
    { environment: 'live', decision: 'APPROVE', value: 1 },
    { environment: 'live', decision: 'DECLINE', value: 1 },
  ]);
  t.strictSame(await counted('decision_reasons_total'), [
    { environment: 'live', decision: 'DECLINE', code: 'MCC_NOT_ALLOWED', value: 1 },
  ]);
});

test('a fail-safe answer is counted where it is given, not where it is recorded', async (t) => {
  const failSafes = async () => {
    const reasons = await counted('decision_reasons_total');
    return reasons.filter(({ code }) => code === 'SYSTEM_FAIL_SAFE');
  };
  identity.without = 'live';
  const request = authorizeRequest(newAgentIds());
  const { answer } = await client.call.Authorize(request, callOptions);
  identity.without = null;
  const [before] = await failSafes();
  t.match(before, { environment: 'live', decision: 'DECLINE', value: 1 });
  const ids = newAgentIds();
  identity.answers = [spendingFacts(ids)];
  const given = { request: authorizeRequest(ids), decidedAt: new Date().toISOString(), answer };
  t.match(await client.call.RecordFailSafe(given, callOptions), { outcome: 'recorded' });
  t.strictSame(await failSafes(), [before]);
});
