import { newId } from '@countersign/kernel/id';
import root, { type Test, test } from 'tap';
import type { Baseline } from '../anomaly/baseline.js';
import { column } from '../anomaly/past-row.js';
import { wordNumber } from '../anomaly/trace.js';
import type { ProfileEvent } from '../profile/learn.js';
import { StateCache } from '../state/cache.js';
import { startDecision } from './decision-service.js';
import { immediateConsumer } from './immediate-consumer.js';
import { seeded } from './ordinary-agent.js';
import { amended, type EventSubject, outcome, recorded } from './profile-events.js';
import { later, readerOf } from './reader.js';

const { context, stop } = await startDecision();
root.teardown(stop);
const { pool } = context.stores.live;

function replica() {
  const cache = new StateCache();
  const reader = readerOf(pool, cache);
  return {
    consume: immediateConsumer({ pool, cache }),
    read: (agentId: string) => reader.read({ principalId: 'prn_1', agentId, endsAt: later() }),
    forget: (agentId: string) => cache.forgetTraces(agentId),
  };
}

type Kind = 'approved' | 'others';

/** The events of one authorization, and the row that they must leave in the history. */
interface Story {
  agentId: string;
  row: [at: number, name: number];
  kind: Kind | null;
  events: ProfileEvent[];
}

type Chance = (count: number) => number;

function traced(subject: EventSubject, decision: 'APPROVE' | 'DECLINE' | 'STEP_UP') {
  const decided = recorded(subject, { decision, reasonCodes: [] });
  const { learning } = decided.data;
  if (learning) decided.data.learning = { ...learning, trace: { task: '00000000000ff' } };
  return decided;
}

function nameOf(authorizationId: string): number {
  return wordNumber(authorizationId) % 2 ** 32;
}

function story(agentId: string, pick: Chance): Story {
  const authorizationId = newId('authorization');
  const subject = { agentId, authorizationId, minute: pick(600) };
  const decision = (['APPROVE', 'APPROVE', 'DECLINE', 'STEP_UP'] as const)[pick(4)] ?? 'APPROVE';
  const decided = traced(subject, decision);
  const events: ProfileEvent[] = [decided];
  let kind: Kind | null = decision === 'APPROVE' ? 'approved' : 'others';
  if (decision === 'STEP_UP' && pick(3) > 0) {
    events.push(amended(subject, 'STEP_UP_CONFIRMED'));
    kind = 'approved';
  }
  const end = pick(24);
  if (end < 2) kind = null;
  if (end === 0) events.push(amended(subject, 'VOIDED'));
  if (end === 1) events.push(outcome(subject, 'CONFIRMED_FRAUD'));
  if (end === 2) events.push(outcome(subject, 'SETTLED'));
  // Events may be delivered out of order, and more than once.
  if (pick(4) === 0) events.reverse();
  if (pick(3) === 0) events.push(...events.slice(0, 1));
  return {
    agentId,
    row: [Date.parse(decided.occurredAt) / 1_000, nameOf(authorizationId)],
    kind,
    events,
  };
}

function rowsOf(baseline: Baseline | null, kind: Kind): number[][] {
  const rows = baseline?.[kind];
  return Array.from({ length: rows?.count ?? 0 }, (_, at) => [
    rows?.word(at, column.at) ?? 0,
    rows?.word(at, column.name) ?? 0,
  ]);
}

function expected(stories: readonly Story[], agentId: string, kind: Kind): number[][] {
  return stories
    .filter((one) => one.agentId === agentId && one.kind === kind)
    .map(({ row }) => row)
    .sort((a, b) => a[0] - b[0] || a[1] - b[1]);
}

/** Delivers all events to random replicas, while replicas also read, evict and restart. */
async function live(stories: readonly Story[], pick: Chance) {
  const replicas = [replica(), replica(), replica()];
  const pending: Array<Promise<unknown>> = [];
  const left = stories.map(({ agentId, events }) => ({ agentId, events: [...events] }));
  while (left.some(({ events }) => events.length > 0)) {
    const which = pick(replicas.length);
    const one = replicas[which] ?? replica();
    const { agentId, events } = left[pick(left.length)] ?? { agentId: '', events: [] };
    const event = events.shift();
    if (event) pending.push(one.consume(event));
    const chance = pick(24);
    if (chance < 8) pending.push(one.read(agentId));
    if (chance === 8 || chance === 9) one.forget(agentId);
    if (chance === 10) replicas[which] = replica();
    if (chance > 17) await pending[pick(pending.length)];
  }
  await Promise.all(pending);
  return [...replicas, replica()];
}

async function agree(t: Test, seed: number): Promise<void> {
  const random = seeded(seed);
  const pick = (count: number): number => Math.floor(random() * count);
  const agents = [newId('agent'), newId('agent'), newId('agent')];
  const stories = Array.from({ length: 120 }, () => story(agents[pick(3)] ?? '', pick));
  for (const one of await live(stories, pick)) {
    for (const agentId of agents) {
      const { baseline, profile } = await one.read(agentId);
      t.strictSame(rowsOf(baseline, 'approved'), expected(stories, agentId, 'approved'));
      t.strictSame(rowsOf(baseline, 'others'), expected(stories, agentId, 'others'));
      t.equal(baseline?.version, profile?.version);
    }
  }
}

for (const seed of [1, 2, 3, 4]) {
  test(`replicas that learn, read, evict and restart agree on the history (${seed})`, (t) =>
    agree(t, seed));
}

test('who knew a payment that was voided forgets it, also after what came later', async (t) => {
  const agentId = newId('agent');
  const [learning, reading] = [replica(), replica()];
  const voided = { agentId, authorizationId: newId('authorization'), minute: 1 };
  const kept = { agentId, authorizationId: newId('authorization'), minute: 2 };
  const known = async () =>
    rowsOf((await reading.read(agentId)).baseline, 'approved').map(([, name]) => name);
  for (const subject of [voided, kept]) await learning.consume(traced(subject, 'APPROVE'));
  t.same(
    await known(),
    [voided, kept].map((subject) => nameOf(subject.authorizationId)),
  );
  await learning.consume(amended(voided, 'VOIDED'));
  await learning.consume(outcome(kept, 'SETTLED'));
  t.same(await known(), [nameOf(kept.authorizationId)]);
});

test('of agents whose rows are trimmed together each keeps as many as alone', async (t) => {
  const agents = [newId('agent'), newId('agent')];
  await pool.query(
    `INSERT INTO agent_trace (agent_id, version, approved, decided_at, name, packed)
     SELECT agent, n, true, n, n, '' FROM unnest($1::text[]) agent, generate_series(1, 201) n`,
    [agents],
  );
  await pool.query('SELECT trim_traces($1)', [agents]);
  const { rows } = await pool.query(
    `SELECT agent_id AS id, count(*)::int AS rows, min(version) AS first FROM agent_trace
     WHERE agent_id = ANY($1) GROUP BY agent_id ORDER BY agent_id`,
    [agents],
  );
  t.same(
    rows,
    [...agents].sort().map((id) => ({ id, rows: 200, first: 2 })),
  );
});
