import { newId } from '@countersign/kernel/id';
import type { Pool } from '@countersign/runtime/database';
import root, { test } from 'tap';
import type { ProfileEvent } from '../profile/learn.js';
import { unpackState } from '../profile/packed-state.js';
import type { ProfileState } from '../profile/state.js';
import { StateCache } from '../state/cache.js';
import { callOptions, startDecision } from './decision-service.js';
import { immediateConsumer } from './immediate-consumer.js';
import { amended, denial, type EventSubject, outcome, recorded } from './profile-events.js';
import { later, readerOf } from './reader.js';

const { client, context, stop } = await startDecision();
root.teardown(stop);
const { pool } = context.stores.live;

/** A consumer with its own cache, as another process of the service has. */
function replica(over: Pool = pool) {
  const cache = new StateCache();
  const announcements = { count: 0 };
  const onAnnounced = (): void => {
    announcements.count += 1;
  };
  const learn = immediateConsumer({ pool: over, cache, onAnnounced });
  const consume = async (...events: ProfileEvent[]): Promise<void> => {
    await Promise.all(events.map(learn));
  };
  return { consume, cache, announcements };
}

async function stored({
  agentId,
}: EventSubject): Promise<{ version: number; state: ProfileState }> {
  const { rows } = await pool.query<{ version: number; content: string }>(
    'SELECT version, packed AS content FROM agent_profile WHERE agent_id = $1',
    [agentId],
  );
  const [row] = rows;
  if (!row) throw new Error('no profile');
  return { version: row.version, state: unpackState(row.content) };
}

const newAgent = (): EventSubject => ({ agentId: newId('agent'), principalId: newId('principal') });
const payments = (subject: EventSubject, count: number, minute = 0): ProfileEvent[] =>
  Array.from({ length: count }, (_, i) => recorded({ ...subject, minute: minute + i }));

test('a redelivered decision changes nothing, in any replica and any group', async (t) => {
  const subject = newAgent();
  const events = payments(subject, 3);
  const [first] = events as [ProfileEvent];
  const [one, other] = [replica(), replica()];
  await one.consume(...events, first);
  await one.consume(first);
  await other.consume(first, ...payments(subject, 1, 5), first);
  await one.consume(...events);
  const { version, state } = await stored(subject);
  t.equal(version, 4);
  t.match(state.totals, { total: 4, approved: 4, successful: 4 });
});

test('decisions that arrive in another order are learnt in that of their times', async (t) => {
  const history = (subject: EventSubject): ProfileEvent[] => {
    const declined = { decision: 'DECLINE', reasonCodes: ['AMOUNT_EXCEEDS_PER_TXN'] };
    return [{}, declined, declined].map((data, second) =>
      recorded({ ...subject, minute: second / 60 }, data),
    );
  };
  const [inTurn, mixed] = [newAgent(), newAgent()];
  const { consume } = replica();
  for (const event of history(inTurn)) await consume(event);
  const [approved, ...declined] = history(mixed) as [ProfileEvent];
  await consume(...declined, approved);
  const { score } = (await stored(mixed)).state;
  t.strictSame(score, (await stored(inTurn)).state.score);
});

test('a redelivered reversal is counted once', async (t) => {
  const subject = { ...newAgent(), authorizationId: newId('authorization') };
  const { consume } = replica();
  const part = amended(subject, 'REVERSED', '6.00');
  await consume(recorded(subject), part, part);
  await consume(part);
  t.equal((await stored(subject)).state.totals.successful, 1, '6.00 of 10.00 were reversed');
  await consume(amended(subject, 'REVERSED', '4.00'));
  t.equal((await stored(subject)).state.totals.successful, 0);
});

test('concurrent and alternating replicas lose no event, whatever each has cached', async (t) => {
  const subject = newAgent();
  const busy = Array.from({ length: 4 }, newAgent);
  const replicas = [replica(), replica(), replica()];
  for (let round = 0; round < 6; round += 1) {
    // Each with an agent of its own first, so that it takes the path without locks.
    for (const [at, { consume }] of replicas.entries()) {
      await consume(...payments(busy[at] ?? subject, 2, round));
      await consume(...payments(subject, 1, round));
    }
    await Promise.all(replicas.map(({ consume }) => consume(...payments(subject, 2, round))));
  }
  const { version, state } = await stored(subject);
  t.equal(version, 6 * 3 * 3);
  t.equal(state.totals.total, 6 * 3 * 3);
});

test('without other replicas a group is one statement, and nothing is read back', async (t) => {
  const statements: string[] = [];
  const counting = new Proxy(pool, {
    get(target, name) {
      if (name === 'query') statements.push('query');
      if (name === 'connect') statements.push('connect');
      const value = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const subject = newAgent();
  const { consume, cache } = replica(counting);
  await consume(...payments(subject, 2));
  t.same(statements, ['connect'], 'the first group locks and reads');
  await consume(...payments(subject, 5, 2), ...payments(newAgent(), 1));
  t.same(statements, ['connect', 'query']);
  const held = cache.profileOf(subject.agentId);
  t.strictSame(held, await stored(subject), 'the cache equals the row');
  const { agentId, principalId = '' } = subject;
  const reader = readerOf(pool, cache);
  const asked = { principalId, agentId, endsAt: later() };
  t.equal((await reader.read(asked)).profile, held, 'the cached object itself');
  await replica().consume(...payments(subject, 1, 9));
  const read = await reader.read(asked);
  t.strictSame(read.profile, await stored(subject), 'read again after another replica wrote');
  t.equal(cache.profileOf(agentId), read.profile);
});

test('changed thresholds apply to the next event, even if others are cached', async (t) => {
  const subject = newAgent();
  const { consume, announcements } = replica();
  for (const event of payments(subject, 3)) await consume(event);
  t.equal(announcements.count, 0);
  const changesJson = JSON.stringify({
    verified_min_successful_txns: 2,
    verified_min_account_age_hours: 0,
  });
  const tenant = { clientId: 'cli_1', principalId: subject.principalId };
  await client.call.PutThresholds({ tenant, changesJson }, callOptions);
  await consume(recorded({ ...subject, minute: 4 }));
  t.equal(announcements.count, 1);
  t.equal((await stored(subject)).state.trust?.level, 'VERIFIED');
});

/** Events that fill every field of a state and an entry. */
function eventfulPast(subject: EventSubject): ProfileEvent[] {
  const [disputed, denied] = [newId('authorization'), newId('authorization')];
  const keyFailure = ['VI_SIGNATURE_INVALID'];
  return [
    recorded({ ...subject, authorizationId: disputed }, { intentAnomalyScore: 0.25 }),
    recorded({ ...subject, authorizationId: denied }, { decision: 'STEP_UP' }),
    recorded(subject, { decision: 'DECLINE', reasonCodes: keyFailure }),
    denial({ ...subject, authorizationId: denied, minute: 1 }),
    outcome({ ...subject, authorizationId: disputed, minute: 2 }, 'CHARGEBACK'),
    amended({ ...subject, authorizationId: disputed, minute: 3 }, 'REVERSED', '2.50'),
    outcome({ ...subject, authorizationId: disputed, minute: 4 }, 'DISPUTE_RESOLVED'),
    amended({ ...subject, authorizationId: disputed, minute: 5 }, 'VOIDED'),
  ];
}

test('learning from the row gives the same result as learning from the cache', async (t) => {
  const subject = newAgent();
  const events = eventfulPast(subject);
  // A new replica has an empty cache, so each event starts from the row.
  for (const event of events) await replica().consume(event);
  const cachedAgent = { ...newAgent() };
  const { consume } = replica();
  for (const event of events) {
    const data = { ...event.data, agentId: cachedAgent.agentId };
    const authorizationId = `${data.authorizationId}-again`;
    await consume({
      ...event,
      id: newId('event'),
      data: { ...data, authorizationId },
    } as ProfileEvent);
  }
  const [one, other] = [await stored(subject), await stored(cachedAgent)];
  const renamed = JSON.parse(JSON.stringify(other.state).replaceAll('-again', ''));
  t.strictSame(one, { ...other, state: renamed });
  t.match(one.state, { marks: { keyFailure: [{}] }, totals: { total: 2, declined: 2 } });
});
