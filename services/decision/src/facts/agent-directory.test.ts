import { Fault } from '@countersign/kernel/fault';
import { identityService, type SpendingFactsInput } from '@countersign/proto/identity';
import { Metrics } from '@countersign/runtime/metrics';
import { test } from 'tap';
import { decisionMetrics } from '../decision-metrics.js';
import { newAgentIds } from '../test/decision-service.js';
import { spendingFacts } from '../test/fake-identity.js';
import { AgentDirectory } from './agent-directory.js';

const ids = newAgentIds();
const { agentId, principalId } = ids;
const question = { clientId: 'cli_1', principalId, agentId, agentDid: null };
const options = { environment: 'live', requestId: 'r', deadlineMs: 1_000 } as const;
const cached = { mayUseCache: true };

function directoryWith(answer: () => Promise<SpendingFactsInput>) {
  const { responseSerialize, responseDeserialize } = identityService.GetSpendingFacts;
  const asked: unknown[] = [];
  const agents = new AgentDirectory(
    async (request) => {
      asked.push(request);
      // As after transport: with the defaults of the protobuf schema.
      return responseDeserialize(responseSerialize(await answer()));
    },
    decisionMetrics(new Metrics('test')),
  );
  return { agents, asked };
}

test('concurrent reads of one agent share a request, and later ones use the cache', async (t) => {
  const { agents, asked } = directoryWith(async () => spendingFacts(ids));
  const burst = Array.from({ length: 50 }, () => agents.read(question, options, cached));
  const answers = await Promise.all(burst);
  t.ok(answers.every(({ known }) => known?.agent.id === agentId));
  await agents.read(question, options, cached);
  t.equal(asked.length, 1);
});

test('what was read before the ledger told of another epoch is not used', async (t) => {
  const waiting: Array<() => void> = [];
  const { agents, asked } = directoryWith(async () => {
    await new Promise<void>((resolve) => waiting.push(resolve));
    return spendingFacts(ids);
  });
  const before = agents.read(question, options, cached);
  agents.adopt('live', 'two');
  waiting[0]?.();
  t.equal((await before).epoch, '', 'it was asked for before');
  const after = agents.read(question, options, cached);
  waiting[1]?.();
  t.equal((await after).epoch, 'two');
  agents.adopt('sandbox', 'three');
  t.equal((await agents.read(question, options, cached)).epoch, 'two');
  t.equal(asked.length, 2);
});

test('a read that bypasses the cache updates it', async (t) => {
  let version = 1;
  const { agents, asked } = directoryWith(async () => spendingFacts(ids, { agent: { version } }));
  await agents.read(question, options, cached);
  version = 2;
  const fresh = await agents.read(question, options, { mayUseCache: false });
  t.equal(fresh.known?.agent.version, 2);
  const later = await agents.read(question, options, cached);
  t.equal(later.known?.agent.version, 2);
  t.equal(asked.length, 2);
});

test('an answer does not last longer because the clock was set back', async (t) => {
  const { agents, asked } = directoryWith(async () => spendingFacts(ids));
  await agents.read(question, options, cached);
  const dayAgo = Date.now() - 86_400_000;
  t.intercept(Date, 'now', { value: () => dayAgo });
  await agents.read(question, options, cached);
  t.equal(asked.length, 2, 'asked again');
  await agents.read(question, options, cached);
  t.equal(asked.length, 2, 'and cached again');
});

test('environment, Client, Principal, id and DID are all part of the cache key', async (t) => {
  const { agents, asked } = directoryWith(async () => spendingFacts(ids));
  const agentDid = `did:key:${agentId}`;
  const others = [
    { ...question, clientId: 'cli_2' },
    { ...question, principalId: null },
    { ...question, agentDid },
    { ...question, agentId: null, agentDid },
  ];
  for (const each of [question, ...others]) await agents.read(each, options, cached);
  await agents.read(question, { ...options, environment: 'sandbox' }, cached);
  t.equal(asked.length, 6);
  const another = [
    { ...question, agentId: 'agt_another' },
    { ...question, agentDid: 'did:key:another' },
  ];
  for (const each of another) {
    t.equal((await agents.read(each, options, cached)).known, null, 'never the answer of one');
  }
});

test('identity is asked about what the credential and the request name, and no more', async (t) => {
  const { agents, asked } = directoryWith(async () => spendingFacts(ids));
  const named = { ...question, agentDid: `did:key:${agentId}` };
  const unnamed = { clientId: 'cli_1', principalId: null, agentId: null, agentDid: null };
  for (const each of [named, unnamed]) await agents.read(each, options, cached);
  t.strictSame(asked, [named, { clientId: 'cli_1' }]);
});

test('unknown and revoked agents are not cached', async (t) => {
  for (const answer of [{}, spendingFacts(ids, { agent: { status: 'REVOKED' } })]) {
    const { agents, asked } = directoryWith(async () => answer);
    await agents.read(question, options, cached);
    await agents.read(question, options, cached);
    t.equal(asked.length, 2);
  }
});

test('a failure is not cached, and readers that joined it retry', async (t) => {
  let failures = 1;
  const { agents } = directoryWith(async () => {
    if (failures-- > 0) throw new Fault('unavailable', { code: 'X', message: 'unavailable' });
    return spendingFacts(ids);
  });
  const [first, second] = await Promise.allSettled([
    agents.read(question, options, cached),
    agents.read(question, options, cached),
  ]);
  t.equal(first.status, 'rejected');
  t.equal(second.status, 'fulfilled');
});

test('agents with long lists are cached too, but fewer of them', async (t) => {
  const many = Array.from({ length: 200 }, newAgentIds);
  const askedAgain = async (allowedMerchants: string[]): Promise<number> => {
    let current = ids;
    const { agents, asked } = directoryWith(async () =>
      spendingFacts(current, { mandate: { allowedMerchants } }),
    );
    const readAll = async (): Promise<void> => {
      for (current of many) {
        const { agentId, principalId } = current;
        await agents.read({ ...question, agentId, principalId }, options, cached);
      }
    };
    await readAll();
    const first = asked.length;
    await readAll();
    return asked.length - first;
  };
  t.equal(await askedAgain(['m-1001']), 0);
  const quarterMegabyte = Array.from({ length: 1_000 }, (_, n) => String(n).padStart(250, 'm'));
  t.ok((await askedAgain(quarterMegabyte)) >= 40);
});
