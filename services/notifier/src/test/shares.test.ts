import { newId } from '@countersign/kernel/id';
import { createTestDatabase, until } from '@countersign/runtime/testing';
import { type Test, test } from 'tap';
import { claimValues } from '../dispatcher.js';
import { type SlotLimits, Slots } from '../slots.js';
import { claimSql } from '../sql.js';
import { createSending, type Sending } from './sending.js';

const limits: SlotLimits = { total: 64, perEndpoint: 8 };

/** A separate database, since deliveries left by one test must not take part in the next. */
async function sending(t: Test, own: SlotLimits = limits): Promise<Sending> {
  const database = await createTestDatabase('notifier');
  const started = createSending(database.url, own);
  t.teardown(async () => {
    await started.stop();
    await database.drop();
  });
  return started;
}

function heldBy({ posts }: Sending, principalId: string): number {
  return posts.filter((post) => post.principalId === principalId).length;
}

/** As if the pauses before the retries were over. */
const retriesDueSql = `
UPDATE delivery SET next_attempt_at = now()
WHERE status = 'PENDING' AND lease IS NULL AND attempt_count > 0`;

/** Answers all attempts until the condition holds. */
async function answerUntil(from: Sending, done: () => boolean): Promise<void> {
  await until(() => {
    for (const post of [...from.posts]) post.answer();
    return done();
  });
}

test("unresponsive webhooks of one Principal do not use up others' slots", async (t) => {
  const from = await sending(t);
  const [crowd, single] = [newId('principal'), newId('principal')];
  await from.addDue(await from.addHooks(crowd, 100), { each: 5, agoSeconds: 3_600 });
  const [own = ''] = await from.addHooks(single, 1);
  from.start();
  await until(() => from.posts.length > 0);
  // Claims again and again, as while other deliveries are being sent.
  for (let i = 0; i < 20; i += 1) {
    await from.addDue([own], { agoSeconds: 0 });
    from.wake();
    await until(() => heldBy(from, single) > 0, { what: `delivery ${i} beside those that hang` });
    t.ok(heldBy(from, crowd) <= limits.total / 8, 'at most its share');
    for (const post of from.posts.filter(({ principalId }) => principalId === single)) {
      post.answer();
    }
    await until(() => heldBy(from, single) === 0);
  }
  t.equal(from.ended.filter(({ principalId }) => principalId === crowd).length, 0);
});

test('half of the share of a Principal is reserved for its proven endpoints', async (t) => {
  const from = await sending(t);
  const principal = newId('principal');
  const [proven = '', ...hanging] = await from.addHooks(principal, 40);
  await from.addDue([proven]);
  from.start();
  await answerUntil(from, () => from.ended.length === 1);
  await from.addDue(hanging, { each: 3, agoSeconds: 3_600 });
  from.wake();
  await until(() => from.posts.length >= limits.total / 16);
  await from.addDue([proven], { each: 20 });
  from.wake();
  const toProven = () => from.posts.filter(({ webhookId }) => webhookId === proven).length;
  await until(() => toProven() === limits.total / 16, { what: 'the half of the proven endpoints' });
  t.equal(from.posts.length, limits.total / 8);
});

test('unproven endpoints of all Principals hold at most half of the slots', async (t) => {
  const from = await sending(t);
  const own = newId('principal');
  const [proven = ''] = await from.addHooks(own, 1);
  await from.addDue([proven]);
  from.start();
  await answerUntil(from, () => from.ended.length === 1);
  for (let i = 0; i < 20; i += 1) {
    const hanging = await from.addHooks(newId('principal'), 8);
    await from.addDue(hanging, { each: 2, agoSeconds: 3_600 });
  }
  from.wake();
  await until(() => from.posts.length >= limits.total / 2);
  await from.addDue([proven], { each: 20 });
  from.wake();
  await until(() => heldBy(from, own) === limits.perEndpoint);
  t.equal(from.posts.length - heldBy(from, own), limits.total / 2);
});

test('the backlog of one Principal does not delay another', async (t) => {
  const from = await sending(t, { total: 16, perEndpoint: 2 });
  const [crowd, second, third] = [newId('principal'), newId('principal'), newId('principal')];
  await from.addDue(await from.addHooks(crowd, 100), { each: 20, agoSeconds: 3_600 });
  await from.addDue(await from.addHooks(second, 2), { each: 3 });
  await from.addDue(await from.addHooks(third, 2), { each: 3 });
  from.start();
  const toOthers = () => from.ended.filter(({ principalId }) => principalId !== crowd).length;
  await answerUntil(from, () => toOthers() === 12);
  const toCrowd = from.ended.length - 12;
  t.ok(toCrowd <= 50, `${toCrowd} of 2,000 older ones were sent before the last of the others`);
});

test('a response that takes more than a second leaves an endpoint unproven', async (t) => {
  const from = await sending(t);
  const [slow = ''] = await from.addHooks(newId('principal'), 1);
  const [quick = ''] = await from.addHooks(newId('principal'), 1);
  await from.addDue([slow, quick], { each: 20 });
  from.start();
  await until(() => from.posts.length === 2);
  const held = (id: string) => from.posts.filter(({ webhookId }) => webhookId === id).length;
  from.posts.find(({ webhookId }) => webhookId === slow)?.answer({ durationMs: 1_001 });
  await until(() => held(slow) === limits.total / 16, {
    what: 'the half of its share for unproven endpoints',
  });
  from.posts.find(({ webhookId }) => webhookId === quick)?.answer({ durationMs: 999 });
  await until(() => held(quick) === limits.perEndpoint);
  t.equal(held(slow), limits.total / 16);
});

test('idle proven endpoints do not keep slots from failing ones', async (t) => {
  const from = await sending(t, { total: 8, perEndpoint: 2 });
  const resting = await Promise.all(
    Array.from({ length: 10 }, () => from.addHooks(newId('principal'), 1)),
  );
  await from.addDue(resting.flat());
  const [later = ''] = await from.addHooks(newId('principal'), 1);
  from.start();
  const answerBadly = async (count: number): Promise<void> => {
    await until(() => {
      for (const post of [...from.posts]) post.answer({ statusCode: 404 });
      return from.ended.length === count;
    });
  };
  await answerBadly(10);
  for (let i = 1; i <= 3; i += 1) {
    await from.addDue([later]);
    from.wake();
    await answerBadly(10 + i);
  }
  t.equal(from.ended.filter(({ webhookId }) => webhookId === later).length, 3);
});

test('failing endpoints take turns, regardless of the age of their backlogs', async (t) => {
  const from = await sending(t, { total: 16, perEndpoint: 2 });
  const principal = newId('principal');
  const slow = await from.addHooks(principal, 5);
  const [later = '', ...old] = slow;
  await from.addDue(old, { each: 10, agoSeconds: 3_600 });
  from.start();
  const answerOne = async (): Promise<void> => {
    await until(() => from.posts.length > 0);
    from.posts[0]?.answer({ durationMs: 4_900 });
  };
  for (let i = 0; i < 4; i += 1) await answerOne();
  await from.addDue([later]);
  // One may have been claimed before the later delivery was added.
  for (let i = 0; i < 5; i += 1) await answerOne();
  const sent = from.ended.map(({ webhookId }) => webhookId);
  t.ok(sent.includes(later));
  t.same(new Set(sent), new Set(slow));
});

test('an endpoint that times out is disabled, although new events keep arriving', async (t) => {
  const from = await sending(t);
  const [dead = ''] = await from.addHooks(newId('principal'), 1);
  await from.addDue([dead], { each: 10 });
  from.start();
  const stored = async () => {
    const { rows } = await from.pool.query('SELECT consecutive_failures, active FROM webhook');
    return rows[0];
  };
  // Ten events of five attempts, and up to four attempts of one that took turns with the last.
  for (let i = 0; i < 54 && (await stored()).active; i += 1) {
    await until(() => from.posts.length === 1);
    await from.addDue([dead], { each: 2 });
    await from.pool.query(retriesDueSql);
    from.posts[0]?.answer({ statusCode: null, error: 'TIMEOUT' });
    await until(async () => from.posts.length === 1 || !(await stored()).active);
  }
  t.match(await stored(), { consecutive_failures: 10, active: false });
});

test('a claim reads few index entries of each webhook, regardless of the backlog', async (t) => {
  const from = await sending(t);
  const crowd = await from.addHooks(newId('principal'), 100);
  await from.addDue(crowd, { each: 200, agoSeconds: 3_600 });
  await from.addDue(await from.addHooks(newId('principal'), 1), { each: 20_000 });
  await from.pool.query('ANALYZE');
  const values = claimValues(new Slots(limits).openings(), { limit: 64, leaseMs: 1_000 });
  const literals = values.map((value) => `'${Array.isArray(value) ? '{}' : value}'`).join();
  const client = await from.pool.connect();
  try {
    await client.query(`PREPARE claim AS ${claimSql}`);
    // Checks the plan for the given values, and the generic plan used after a few executions.
    for (const mode of ['force_custom_plan', 'force_generic_plan']) {
      await client.query(`SET plan_cache_mode = ${mode}`);
      const explain = `EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE claim(${literals})`;
      const { rows } = await client.query(explain);
      const reads = readsOf(rows[0]['QUERY PLAN'][0].Plan);
      t.same(
        reads.filter(({ name }) => !name.startsWith('delivery_')),
        [],
        'by index scans only',
      );
      const entries = reads.reduce((sum, { count }) => sum + count, 0);
      // 101 webhooks: one probe per webhook, one due entry of each, and twice the claimed rows.
      t.ok(entries > 0 && entries <= 101 * 2 + 64 * 2 + 1, `${entries} entries of 40,000, ${mode}`);
    }
  } finally {
    client.release(true);
  }
});

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}

/** The scans that read deliveries, with the number of entries read. */
function readsOf(node: PlanNode): Array<{ name: string; count: number }> {
  const below = (node.Plans ?? []).flatMap(readsOf);
  const { 'Node Type': type, 'Index Name': index, 'Relation Name': table } = node;
  const ofDeliveries = index?.startsWith('delivery') || table === 'delivery';
  // A bitmap heap scan repeats what its index scan counted, and writes are not reads.
  if (!ofDeliveries || !/Scan$/.test(type) || type === 'Bitmap Heap Scan') return below;
  const each = node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0);
  return [...below, { name: index ?? type, count: Math.round(each * node['Actual Loops']) }];
}
