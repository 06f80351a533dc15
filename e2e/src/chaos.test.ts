/**
 * Kills servers and services under load; an independent checker verifies the result. CHAOS_KILLS
 * sets how often the ledger is killed, CHAOS_SEED repeats a run.
 */
import { randomBytes } from 'node:crypto';
import { connect as dial } from 'node:net';
import { randomFrom } from '@countersign/runtime/testing';
import { startStack } from '@countersign/tools/stack';
import t, { type Test } from 'tap';
import { readBus, wipeBus } from './bus-reader.js';
import { check, type Limits, ledgerDatabase, type SeenAnswer, untilAccounted } from './checker.js';
import { type Load, startLoad } from './load.js';
import { patiently } from './retries.js';
import { expectStatus, newSpender, newTenant, type Spender } from './tenant.js';

const kills = Number(process.env.CHAOS_KILLS ?? 5);
const seed = Number(process.env.CHAOS_SEED ?? Date.now() % 1_000_000);
const random = randomFrom(seed);
const replays = 40;

/** After each kill the ledger has to start, which takes long on a busy machine. */
t.setTimeout(480_000 + kills * 20_000);

const namespace = `chaos_${randomBytes(5).toString('hex')}`;
const stack = await startStack({
  env: { NAMESPACE: namespace, RATE_LIMIT_MULTIPLIER: '0' },
  ownServers: ['postgres', 'redis', 'nats'],
  seed: false,
});
t.teardown(() => stack.stop());
const tenant = await patiently(() => newTenant(stack));
const databaseUrl = ledgerDatabase(stack);

/** Answers of all tests, since the effects of one fault must still be consistent after the next. */
const answers: SeenAnswer[] = [];
const limits = new Map<string, Limits>();

/** One that reaches its limits soon, one that does later, and one that never does. */
function newSpenders(): Promise<Spender[]> {
  const agreed: Limits[] = [
    { dailyAmount: '120.00', monthlyAmount: '130.00', dailyCount: 40, monthlyCount: 30 },
    { dailyAmount: '3000.00', monthlyAmount: '2500.00', dailyCount: 400, monthlyCount: 500 },
    { dailyAmount: '900000.00', monthlyAmount: '900000.00' },
  ];
  return Promise.all(agreed.map(newSpenderWithin));
}

async function newSpenderWithin(agreed: Limits): Promise<Spender> {
  const spender = await patiently(() => newSpender(stack, tenant));
  const { acting, agentId } = spender;
  const terms = {
    agent_id: agentId,
    valid_until: new Date(Date.now() + 86_400_000).toISOString(),
    max_amount_per_transaction: '100.00',
    max_daily_amount: agreed.dailyAmount,
    max_monthly_amount: agreed.monthlyAmount,
    max_daily_count: agreed.dailyCount,
    max_monthly_count: agreed.monthlyCount,
  };
  // A mandate granted here is newer than the one from onboarding, so only it is used.
  const { id: mandateId } = await patiently(async () =>
    expectStatus(await acting.post('/api/v1/mandates', terms), 201),
  );
  limits.set(mandateId, agreed);
  return { ...spender, mandateId };
}

/** Ends the load, waits until everything is accounted for, replays keys, and runs the checker. */
async function judge(t: Test, load: Load): Promise<void> {
  await load.stop();
  t.same(load.unanswered, [], 'every payment was answered');
  const statuses = new Set(load.answers.map(({ status }) => status));
  t.same([...statuses], [200], 'with a decision');
  await untilAccounted({ databaseUrl, answers: load.answers });
  t.same(await load.replay(replays), [], 'every key has its answer');
  answers.push(...load.answers);
  const held = () => readBus(stack.urls.nats, { namespace });
  await untilAccounted({ databaseUrl, answers, readBus: held });
  const delivered = await held();
  const { violations, figures } = await check({ databaseUrl, answers, limits, delivered });
  t.same(violations, [], `seed ${seed}`);
  const slowestMs = Math.max(...load.answers.map((each) => each.receivedAt - each.sentAt));
  const decisions = countBy(load.answers.map(({ text }) => outcomeOf(text)));
  const { turnedAway } = load;
  const seen = { decisions, delivered: delivered.length, turnedAway, slowestMs, seed };
  t.comment(JSON.stringify({ ...figures, ...seen }));
}

t.test(`kill -9 of the ledger, ${kills} times under load`, async (t) => {
  const load = startLoad(await newSpenders(), seed);
  for (let kill = 0; kill < kills; kill += 1) {
    await load.decided(1 + random(60));
    stack.kill('ledger', 'SIGKILL');
    await stack.untilReady('ledger');
  }
  await load.decided(20);
  await judge(t, load);
});

t.test('Redis loses everything, again and again', async (t) => {
  const load = startLoad(await newSpenders(), seed + 1);
  for (let flush = 0; flush < 10; flush += 1) {
    await load.decided(1 + random(40));
    t.match(await sayToRedis('FLUSHALL'), '+OK');
  }
  stack.kill('redis', 'SIGKILL');
  await stack.untilReady('redis');
  await load.decided(40);
  await judge(t, load);
});

t.test('PostgreSQL is restarted in every way it can be', async (t) => {
  const load = startLoad(await newSpenders(), seed + 2);
  for (const signal of ['SIGQUIT', 'SIGINT', 'SIGKILL'] as const) {
    await load.decided(1 + random(60));
    stack.kill('postgres', signal);
    await load.answered(10);
    await stack.untilReady('postgres');
  }
  await load.decided(40);
  await judge(t, load);
});

t.test('the bus dies and comes back with nothing', async (t) => {
  const load = startLoad(await newSpenders(), seed + 3);
  await load.decided(60);
  stack.kill('nats', 'SIGKILL');
  await load.decided(60);
  await stack.untilReady('nats');
  await wipeBus(stack.urls.nats);
  await load.decided(60);
  await judge(t, load);
});

async function sayToRedis(command: string): Promise<string> {
  const { hostname, port } = new URL(stack.urls.redis);
  return new Promise((resolve, reject) => {
    const socket = dial(Number(port), hostname);
    socket.setTimeout(5_000, () => socket.destroy(new Error('Redis does not answer')));
    socket.once('error', reject);
    socket.once('data', (data) => {
      socket.destroy();
      resolve(data.toString());
    });
    socket.write(`${command}\r\n`);
  });
}

function outcomeOf(text: string): string {
  const { decision, reason_codes: codes } = JSON.parse(text);
  return [decision, ...codes].join(' ');
}

function countBy(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
