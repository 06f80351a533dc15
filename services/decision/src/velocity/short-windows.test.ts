import { newId } from '@countersign/kernel/id';
import { Lifecycle } from '@countersign/runtime/lifecycle';
import { createLog } from '@countersign/runtime/log';
import { Metrics } from '@countersign/runtime/metrics';
import { connectRedis } from '@countersign/runtime/redis';
import { randomFrom, testUrl, until } from '@countersign/runtime/testing';
import root, { test } from 'tap';
import { decisionMetrics } from '../decision-metrics.js';
import { type Question, ShortWindows } from './short-windows.js';

const log = createLog({ service: 'windows-test', level: 'fatal' });
const lifecycle = new Lifecycle(log);
const redis = connectRedis(
  { redisUrl: testUrl('redis'), redisTimeoutMs: 5_000, namespace: newId('event') },
  { log, lifecycle },
);
await until(() => redis.status === 'ready', { what: 'Redis' });
root.teardown(() => lifecycle.shutdown());
const metrics = new Metrics('test');
const counted = decisionMetrics(metrics);
const windows = new ShortWindows({ redis, environment: 'live', metrics, counted });

const begin = Date.parse('2026-11-21T12:00:00.000Z');

function limitsOf(velocityBurstCount: number, velocityBurstWindowSeconds: number) {
  return { velocityBurstCount, velocityBurstWindowSeconds };
}

const payment = () => ({ authorizationId: newId('authorization') });

function lengthOf(agentId: string): Promise<number> {
  return redis.llen(`live:decisions:${agentId}`);
}

/** Reference implementation: computes the answer from the complete history. */
function expected(times: readonly number[], { at, limits, how }: Question) {
  const windowMs = limits.velocityBurstWindowSeconds * 1_000;
  const count = limits.velocityBurstCount;
  const others = how === 'out' ? [...times, at] : times;
  if (others.filter((time) => time > at - windowMs).length <= count) return { exceeded: false };
  const newest = [...times].reverse();
  const againAt = new Date((newest[count - 1] ?? at) + windowMs).toISOString();
  return { exceeded: true, againAt };
}

test('the answer equals that of counting the complete history', async (t) => {
  for (let seed = 1; seed <= 20; seed += 1) {
    const random = randomFrom(seed);
    const agentId = newId('agent');
    const limits = limitsOf(1 + random(6), 10);
    const times: number[] = [];
    let at = begin;
    for (let step = 0; step < 60; step += 1) {
      // Steps of half a second also hit the exact edges of the window.
      at += random(9) * 500;
      const how = random(4) === 0 ? 'out' : 'add';
      if (how === 'add') times.push(at);
      const question = { agentId, ...payment(), at, limits, how } as const;
      t.strictSame(await windows.ask(question), expected(times, question), `${seed}.${step}`);
      if (how === 'out') continue;
      const again = { ...question, how: 'in' } as const;
      t.strictSame(await windows.ask(again), expected(times, again), `${seed}.${step} again`);
    }
  }
});

test('requests of one turn of the event loop share a call, and each is counted', async (t) => {
  const agentId = newId('agent');
  const before = await callsToRedis();
  const limits = limitsOf(3, 60);
  const answers = await Promise.all(
    Array.from({ length: 5 }, () =>
      windows.ask({ agentId, ...payment(), at: begin, limits, how: 'add' }),
    ),
  );
  t.strictSame(
    answers.map((answer) => answer?.exceeded),
    [false, false, false, true, true],
  );
  t.equal((await callsToRedis()) - before, 1);
});

async function callsToRedis(): Promise<number> {
  const found = metrics.registry.getSingleMetric('countersign_round_trips_total');
  const { values } = (await found?.get()) ?? { values: [] };
  return values.find(({ labels }) => labels.kind === 'redis')?.value ?? 0;
}

test('a list is bounded and expires', async (t) => {
  const calm = newId('agent');
  const often = newId('agent');
  for (let second = 0; second < 600; second += 1) {
    const at = begin + second * 1_000;
    await Promise.all([
      windows.ask({ agentId: calm, ...payment(), at, limits: limitsOf(20, 10), how: 'add' }),
      windows.ask({
        agentId: often,
        ...payment(),
        at,
        limits: limitsOf(1_000_000, 10),
        how: 'add',
      }),
    ]);
  }
  t.ok((await lengthOf(calm)) <= 21, `${await lengthOf(calm)} of one that never has too many`);
  t.ok((await lengthOf(often)) <= 256, `${await lengthOf(often)} where the count is out of reach`);
  t.ok((await redis.pttl(`live:decisions:${calm}`)) <= 10_000, 'an idle list expires');
});

test('takeBack removes a request that did not become a decision', async (t) => {
  const agentId = newId('agent');
  const limits = limitsOf(1, 60);
  const first = { agentId, ...payment(), at: begin };
  await windows.ask({ ...first, limits, how: 'add' });
  windows.takeBack(first);
  const second = { agentId, ...payment(), at: begin + 1 };
  t.strictSame(await windows.ask({ ...second, limits, how: 'add' }), { exceeded: false });
  windows.takeBack({ ...second, ...payment() });
  t.equal(await lengthOf(agentId), 1, 'only its own');
});

test('a call that is repeated is counted once, also while the first is under way', async (t) => {
  const agentId = newId('agent');
  const limits = limitsOf(2, 60);
  const ask = (authorizationId: string, after: number) =>
    windows.ask({ agentId, authorizationId, at: begin + after, limits, how: 'add' });
  const [one, two, three] = [newId('authorization'), newId('authorization'), 'auth_of_before'];
  await Promise.all([ask(one, 0), ask(two, 1)]);
  t.strictSame(await Promise.all([ask(one, 40), ask(two, 41)]), [
    { exceeded: false },
    { exceeded: false },
  ]);
  t.equal(await lengthOf(agentId), 2);
  const begun = new Date(begin + 60_001).toISOString();
  t.strictSame(await ask(three, 42), { exceeded: true, againAt: begun });
});
