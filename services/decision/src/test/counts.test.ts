import root, { test } from 'tap';
import { authorizeRequest, callOptions, newAgentIds, startDecision } from './decision-service.js';
import { spendingFacts } from './fake-identity.js';

const { client, context, identity, ledger, stop } = await startDecision();
root.teardown(stop);

type Labels = Record<string, string | number>;

async function counted(name: string): Promise<Array<Labels & { value: number }>> {
  const metric = await context.metrics.registry.getSingleMetric(`countersign_${name}`)?.get();
  return (metric?.values ?? []).map(({ labels, value }) => ({ ...(labels as Labels), value }));
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
  const decisions = await counted('decisions_total');
  const made = decisions.filter(({ value }) => value > 0);
  t.strictSame(made, [
    { environment: 'live', decision: 'APPROVE', value: 1 },
    { environment: 'live', decision: 'DECLINE', value: 1 },
  ]);
  t.strictSame(await counted('decision_reasons_total'), [
    { environment: 'live', decision: 'DECLINE', code: 'MCC_NOT_ALLOWED', value: 1 },
  ]);
});
