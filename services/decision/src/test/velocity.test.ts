import { newId } from '@countersign/kernel/id';
import { testUrl, until } from '@countersign/runtime/testing';
import { Wire } from '@countersign/runtime/testing/wire';
import root, { test } from 'tap';
import { readRecord } from '../record/read-record.js';
import { authorizeRequest, callOptions, newAgentIds, startDecision } from './decision-service.js';
import { type AgentIds, spendingFacts } from './fake-identity.js';
import { replay } from './replay.js';

let now = Date.parse('2026-11-21T12:00:00.000Z');
const service = await startDecision({}, { clock: () => now });
const { client, context, identity, ledger, replica, stop } = service;
root.teardown(stop);

type Door = Pick<typeof service, 'client'>;

function newAgent(of: Partial<AgentIds> = {}): AgentIds {
  return { ...newAgentIds(), ...of };
}

async function pay(ids: AgentIds, door: Door = service, payment = {}) {
  identity.answers = [spendingFacts(ids)];
  const request = authorizeRequest(ids, { amount: '1.00', ...payment });
  const { answer } = await door.client.call.Authorize(request, callOptions);
  return JSON.parse(answer);
}

async function payOften(times: number, ids: AgentIds, door?: Door): Promise<string[]> {
  const decisions: string[] = [];
  for (let n = 0; n < times; n += 1) decisions.push((await pay(ids, door)).decision);
  return decisions;
}

function approvals(times: number): string[] {
  return Array.from({ length: times }, () => 'APPROVE');
}

function setThresholds({ principalId }: AgentIds, changes: object) {
  const tenant = { clientId: 'cli_1', principalId };
  const changesJson = JSON.stringify(changes);
  return client.call.PutThresholds({ tenant, changesJson }, callOptions);
}

function countOf({ agentId }: AgentIds): Promise<number> {
  return context.redis.llen(`live:decisions:${agentId}`);
}

function lastFacts() {
  const proposal = ledger.proposals.at(-1);
  const record = proposal && readRecord(ledger.textsOf(proposal));
  if (!record) throw new Error('nothing was proposed');
  return record.facts;
}

const burst = {
  decision: 'STEP_UP',
  reason_codes: ['VELOCITY_BURST'],
  risk_assessment: { velocity_indicator: true, reason_codes: ['VELOCITY_BURST'] },
};

test('ten decisions in a minute are approved, and the eleventh needs a human', async (t) => {
  const ids = newAgent();
  const neighbour = newAgent({ principalId: ids.principalId });
  t.strictSame(await payOften(10, ids), approvals(10));
  t.strictSame(lastFacts().velocity, { exceeded: false });
  now += 18_000;
  const eleventh = await pay(ids);
  t.match(eleventh, burst);
  t.match(eleventh.reason_detail, /within 60 seconds, have this one confirmed and wait 42 seconds/);
  const againAt = new Date(now + 42_000).toISOString();
  t.strictSame(lastFacts().velocity, { exceeded: true, againAt });
  const proposal = ledger.proposals.at(-1);
  t.equal(proposal && replay(ledger.textsOf(proposal))?.decision, 'STEP_UP');
  const other = await pay(neighbour);
  t.match(other, { decision: 'APPROVE', risk_assessment: { velocity_indicator: false } });
  t.ok(eleventh.risk_score > other.risk_score, 'it raises the risk score too');
  const explanation = await explained(eleventh, ids);
  t.match(explanation, {
    reproduced: true,
    inputs: { velocity: { exceeded: true, again_at: againAt } },
    scores: { risk: { components: { velocity: 0.4 } } },
  });
  t.strictSame(firedIn(explanation), [['velocity-burst', 'VELOCITY_BURST']]);
});

interface Explanation {
  reproduced: boolean;
  rules: Array<{ rule: string; outcome: string; reason_codes: string[] }>;
}

async function explained(
  { authorization_id: authorizationId }: { authorization_id: string },
  { principalId }: { principalId: string },
): Promise<Explanation> {
  const asked = { tenant: { clientId: 'cli_1', principalId }, authorizationId };
  return JSON.parse((await client.call.ExplainAuthorization(asked, callOptions)).explanationJson);
}

function firedIn({ rules }: Explanation): string[][] {
  const fired = rules.filter(({ outcome }) => outcome === 'FIRED');
  return fired.map(({ rule, reason_codes: codes }) => [rule, ...codes]);
}

test('the window slides: older decisions no longer count', async (t) => {
  const ids = newAgent();
  const begin = now;
  for (let second = 0; second < 10; second += 1) {
    now = begin + second * 1_000;
    t.equal((await pay(ids)).decision, 'APPROVE');
  }
  now = begin + 59_999;
  t.match(
    (await pay(ids)).reason_detail,
    /wait 2 seconds before the next/,
    'the decision itself counts as well',
  );
  now = begin + 61_000;
  t.equal((await pay(ids)).decision, 'APPROVE');
  t.match(await pay(ids), burst);
  now += 60_000;
  t.equal((await pay(ids)).decision, 'APPROVE');
});

test('concurrent decisions are all counted, across two processes', async (t) => {
  const ids = newAgent();
  const second = await replica();
  const all = Array.from({ length: 16 }, (_, n) => pay(ids, n % 2 === 0 ? service : second));
  const decisions = (await Promise.all(all)).map(({ decision }) => decision);
  t.strictSame(decisions.sort(), [...approvals(10), ...Array(6).fill('STEP_UP')]);
});

test('count and window are thresholds, which apply from the next payment on', async (t) => {
  const ids = newAgent();
  t.strictSame(await payOften(3, ids), approvals(3));
  await setThresholds(ids, { velocity_burst_count: 3, velocity_burst_window_seconds: 10 });
  const fourth = await pay(ids);
  t.match(fourth, burst);
  t.match(fourth.reason_detail, /more than 3 decisions within 10 seconds/);
  t.equal(await countOf(ids), 4, 'although it was judged twice');
  now += 10_000;
  t.equal((await pay(ids)).decision, 'APPROVE');
  await setThresholds(ids, { velocity_burst_count: 1_000_000 });
  t.strictSame(await payOften(20, ids), approvals(20));
});

test('a process that has read another window before judges by the new one', async (t) => {
  const ids = newAgent();
  const second = await replica();
  await setThresholds(ids, { velocity_burst_count: 3, velocity_burst_window_seconds: 3_600 });
  t.strictSame(await payOften(3, ids, second), approvals(3));
  await setThresholds(ids, { velocity_burst_window_seconds: 10 });
  now += 11_000;
  t.equal((await pay(ids, second)).decision, 'APPROVE');
});

test("a new process uses the Principal's thresholds from its first decision on", async (t) => {
  const ids = newAgent();
  await setThresholds(ids, { velocity_burst_count: 30, velocity_burst_window_seconds: 3_600 });
  for (let n = 0; n < 30; n += 1) {
    now += 61_000;
    t.equal((await pay(ids)).decision, 'APPROVE');
  }
  t.match(await pay(ids, await replica()), burst);
});

test('a simulation gives the answer of a payment, and is not counted', async (t) => {
  const ids = newAgent();
  const simulate = async () => {
    identity.answers = [spendingFacts(ids)];
    return JSON.parse((await client.call.Simulate(authorizeRequest(ids), callOptions)).answer);
  };
  await payOften(9, ids);
  for (let n = 0; n < 5; n += 1) t.equal((await simulate()).decision, 'APPROVE');
  t.equal((await pay(ids)).decision, 'APPROVE');
  t.match(await simulate(), burst);
  t.equal(await countOf(ids), 10);
});

test('requests of other Principals do not count for an agent', async (t) => {
  const ids = newAgent();
  const stranger = { ...ids, principalId: newId('principal') };
  for (let n = 0; n < 15; n += 1) {
    identity.answers = [{ actingPrincipalId: stranger.principalId }];
    const request = authorizeRequest(stranger);
    const { answer } = await client.call.Authorize(request, callOptions);
    t.match(JSON.parse(answer), { reason_codes: ['AGENT_NOT_FOUND'] });
  }
  t.equal(await countOf(ids), 0);
});

test('retries, replays and repeated judging do not count again', async (t) => {
  const ids = newAgent();
  const second = await replica();
  const key = { idempotencyKey: newId('event') };
  await pay(ids, service, key);
  for (const door of [service, service, second, second]) await pay(ids, door, key);
  const reused = pay(ids, second, { ...key, amount: '2.00' });
  await t.rejects(reused, { code: 'VALIDATION_ERROR' });
  await until(async () => (await countOf(ids)) === 1, { what: 'replays to be taken back' });
  ledger.forced.push({ outcome: 'stale' }, { outcome: 'limits_differ', limitCodes: [] });
  t.equal((await pay(ids)).decision, 'APPROVE');
  t.equal(await countOf(ids), 2);
  t.strictSame(lastFacts().velocity, { exceeded: false });
});

test('a decision that failed is not counted', async (t) => {
  const ids = newAgent();
  t.equal((await pay(ids)).decision, 'APPROVE');
  ledger.refusing = true;
  for (let n = 0; n < 11; n += 1) await t.rejects(pay(ids), { code: 'SERVICE_UNAVAILABLE' });
  ledger.refusing = false;
  await until(async () => (await countOf(ids)) === 1, { what: 'them to be taken back' });
  t.equal((await pay(ids)).decision, 'APPROVE');
});

test('a request whose database read fails is not counted', async (t) => {
  const ids = newAgent();
  t.equal((await pay(ids)).decision, 'APPROVE');
  const { read } = context.stateReader.live;
  context.stateReader.live.read = () => Promise.reject(new Error('away'));
  t.teardown(() => Object.assign(context.stateReader.live, { read }));
  for (let n = 0; n < 11; n += 1) t.match(await pay(ids), { reason_codes: ['SYSTEM_FAIL_SAFE'] });
  context.stateReader.live.read = read;
  await until(async () => (await countOf(ids)) === 1, { what: 'them to be taken back' });
  t.equal((await pay(ids)).decision, 'APPROVE');
});

test('a retry of a decision that the ledger has already recorded stays counted', async (t) => {
  const ids = newAgent();
  identity.answers = [spendingFacts(ids)];
  const request = authorizeRequest(ids);
  const answer = JSON.stringify({ authorization_id: request.authorizationId });
  ledger.forced.push({ outcome: 'replayed', answer });
  await client.call.Authorize(request, callOptions);
  // A request that was taken back would be removed by the time of the next answer.
  await pay(ids);
  t.equal(await countOf(ids), 2);
});

test('a burst beyond the limit of open challenges is declined with a single reason', async (t) => {
  const ids = newAgent();
  await payOften(10, ids);
  ledger.forced.push({ outcome: 'challenges_full' });
  const declined = await pay(ids);
  t.match(declined, { decision: 'DECLINE', risk_assessment: { velocity_indicator: true } });
  t.strictSame(declined.reason_codes, ['VELOCITY_BURST']);
  t.match(declined.reason_detail, /maximum number of open challenges/);
  const explanation = await explained(declined, ids);
  t.ok(explanation.reproduced);
  t.strictSame(firedIn(explanation), [
    ['velocity-burst', 'VELOCITY_BURST'],
    ['open-challenges', 'VELOCITY_BURST'],
  ]);
});

test('if Redis is unavailable or hangs, decisions are made without the signal', async (t) => {
  const wire = await Wire.to(testUrl('redis'));
  t.teardown(() => wire.close());
  const cut = await replica({ REDIS_URL: wire.url, REDIS_TIMEOUT_MS: '50' });
  const ids = newAgent();
  t.equal((await pay(ids, cut)).decision, 'APPROVE');
  const { velocityReads } = cut.context.counted;
  const before = await readsOf(velocityReads, 'unanswered');
  wire.silence();
  t.strictSame(await payOften(12, ids, cut), approvals(12));
  t.equal(lastFacts().velocity, undefined);
  wire.cut();
  await until(() => cut.context.redis.status !== 'ready', { what: 'Redis to be unavailable' });
  t.strictSame(await payOften(12, ids, cut), approvals(12));
  t.equal(lastFacts().velocity, undefined);
  t.equal((await readsOf(velocityReads, 'unanswered')) - before, 24);
  wire.mend();
  await until(async () => (await pay(ids, cut)) && lastFacts().velocity !== undefined, {
    what: 'Redis to be available again',
  });
});

test('the Redis timeout is capped by the decision deadline', async (t) => {
  const wire = await Wire.to(testUrl('redis'));
  t.teardown(() => wire.close());
  const cut = await replica({
    REDIS_URL: wire.url,
    REDIS_TIMEOUT_MS: '10000',
    DECISION_DEADLINE_MS: '4000',
  });
  wire.hold();
  t.equal((await pay(newAgent(), cut)).decision, 'APPROVE');
});

async function readsOf(
  counter: typeof context.counted.velocityReads,
  outcome: string,
): Promise<number> {
  const { values } = await counter.get();
  return values.find(({ labels }) => labels.outcome === outcome)?.value ?? 0;
}
