import type { BusEvent } from '@countersign/kernel/event';
import { newId } from '@countersign/kernel/id';
import { until } from '@countersign/runtime/testing';
import { publishOne } from '@countersign/runtime/testing/publish-one';
import root, { test } from 'tap';
import type { ProfileEvent } from '../profile/learn.js';
import { StateCache } from '../state/cache.js';
import { callOptions, startDecision } from './decision-service.js';
import { immediateConsumer } from './immediate-consumer.js';
import { amended, type EventSubject, outcome, recorded } from './profile-events.js';

const { client, context, stop } = await startDecision();
root.teardown(stop);
const { pool } = context.stores.live;

/** Criteria that a new agent meets with a few payments, if its zone allows it. */
const modest = {
  verified_min_successful_txns: 2,
  trusted_min_successful_txns: 3,
  verified_min_account_age_hours: 0,
  trusted_min_account_age_hours: 0,
};
/** With this threshold a new agent's score is in the GREEN zone. */
const kind = { cts_green_threshold: 0.6 };

async function newAgent(thresholds: Record<string, number>): Promise<EventSubject> {
  const subject = { agentId: newId('agent'), principalId: newId('principal') };
  const tenant = { clientId: 'cli_1', principalId: subject.principalId };
  const changesJson = JSON.stringify(thresholds);
  await client.call.PutThresholds({ tenant, changesJson }, callOptions);
  return subject;
}

const replica = () => immediateConsumer({ pool, cache: new StateCache() });
const service = replica();

/** One event at a time, as a single replica would learn them. */
async function learnInOrder(events: ProfileEvent[]): Promise<void> {
  for (const event of events) await service(event);
}

async function announced({ agentId }: EventSubject): Promise<Array<BusEvent<'trust.changed'>>> {
  const { rows } = await pool.query<{ payload: string }>(
    `SELECT payload FROM outbox WHERE type = 'trust.changed'
       AND payload::jsonb -> 'data' ->> 'agentId' = $1 ORDER BY seq`,
    [agentId],
  );
  return rows.map(({ payload }) => JSON.parse(payload) as BusEvent<'trust.changed'>);
}

async function levelsOf(subject: EventSubject): Promise<string[]> {
  return (await announced(subject))
    .filter(({ data }) => data.previousTrustLevel !== data.newTrustLevel)
    .map(({ data }) => `${data.newTrustLevel}${data.promoted ? '' : ', not promoted'}`);
}

function payments(subject: EventSubject, count: number, minute = 0): ProfileEvent[] {
  return Array.from({ length: count }, (_, i) => recorded({ ...subject, minute: minute + i }));
}

test('trust rises one level at a time, announced with the payment that earned it', async (t) => {
  const subject = await newAgent({ ...modest, ...kind });
  const events = payments(subject, 4);
  await learnInOrder(events);
  const steps = (await announced(subject)).filter(({ data }) => data.promoted);
  t.match(
    steps.map(({ data }) => data),
    [
      {
        agentId: subject.agentId,
        authorizationId: events[1]?.data.authorizationId,
        previousTrustLevel: 'REGISTERED',
        newTrustLevel: 'VERIFIED',
      },
      {
        authorizationId: events[2]?.data.authorizationId,
        previousTrustLevel: 'VERIFIED',
        newTrustLevel: 'TRUSTED',
      },
    ],
  );
  t.ok(steps.every(({ data }) => (data.kyaScore ?? 0) > 0.6));
  t.match(steps[0], { principalId: subject.principalId, clientId: 'cli_1', requestId: 'req-1' });
});

test('an outcome can earn a level, and two levels always take two steps', async (t) => {
  const subject = await newAgent({ ...modest, trusted_min_successful_txns: 2, ...kind });
  const [first, second] = payments(subject, 2) as [ProfileEvent, ProfileEvent];
  await learnInOrder([first, second]);
  t.same(await levelsOf(subject), ['VERIFIED']);
  const { authorizationId } = second.data;
  await learnInOrder([outcome({ ...subject, authorizationId, minute: 5 }, 'SETTLED')]);
  t.same(await levelsOf(subject), ['VERIFIED', 'TRUSTED']);
});

test('the default thresholds need more payments, and TRUSTED needs the GREEN zone', async (t) => {
  const strict = await newAgent(kind);
  await learnInOrder(payments(strict, 5));
  t.same(await levelsOf(strict), []);
  const amber = await newAgent(modest);
  await learnInOrder(payments(amber, 5));
  t.same(await levelsOf(amber), ['VERIFIED']);
});

test("an outcome of an unknown agent's request raises no trust level", async (t) => {
  const victim = { agentId: newId('agent'), principalId: newId('principal') };
  await learnInOrder(payments(victim, 3));
  // Another Principal names the agent, gets AGENT_NOT_FOUND, and reports a good outcome.
  const { principalId = '' } = await newAgent({
    ...modest,
    verified_min_successful_txns: 1,
    ...kind,
  });
  const subject = { agentId: victim.agentId, principalId, authorizationId: newId('authorization') };
  const refused = recorded(subject, { decision: 'DECLINE', reasonCodes: ['AGENT_NOT_FOUND'] });
  await learnInOrder([
    { ...refused, data: { ...refused.data, learning: undefined } },
    outcome(subject, 'SETTLED'),
    outcome(subject, 'PRINCIPAL_CONFIRMED_LEGITIMATE'),
    amended(subject, 'REVERSED'),
  ]);
  t.same(await announced(victim), []);
});

test('replicas with the same events take each step once, in order', async (t) => {
  const subject = await newAgent({ ...modest, ...kind });
  const events = payments(subject, 6);
  const [one, other] = [replica(), replica()];
  const backwards = [...events].reverse();
  await Promise.all([...events.map(one), ...backwards.map(other)]);
  await Promise.all(events.map(other));
  t.same(await levelsOf(subject), ['VERIFIED', 'TRUSTED']);
  const times = (await announced(subject)).map(({ occurredAt }) => occurredAt);
  t.same(times, [...new Set(times)].sort(), 'strictly increasing');
});

for (const condemned of ['CONFIRMED_FRAUD', 'PRINCIPAL_CONFIRMED_UNAUTHORIZED']) {
  test(`${condemned} costs every level, and payments do not win it back`, async (t) => {
    const subject = await newAgent({ ...modest, ...kind });
    const events = payments(subject, 4);
    await learnInOrder(events);
    const { authorizationId } = events[0]?.data ?? {};
    const report = outcome({ ...subject, authorizationId, minute: 9 }, condemned);
    await learnInOrder([report, report, ...payments(subject, 5, 10)]);
    const lost = 'REGISTERED, not promoted';
    t.same(await levelsOf(subject), ['VERIFIED', 'TRUSTED', lost]);
    // The report precedes its decision, which is older than everything that was learnt.
    const late = { ...(await newAgent({ ...modest, ...kind })), minute: 20 };
    await learnInOrder(payments(late, 3, 20));
    const unknown = { ...late, authorizationId: newId('authorization'), minute: 1 };
    await learnInOrder([outcome(unknown, condemned)]);
    t.same(await levelsOf(late), ['VERIFIED', 'TRUSTED']);
    await learnInOrder([recorded(unknown)]);
    t.same(await levelsOf(late), ['VERIFIED', 'TRUSTED', lost]);
    const times = (await announced(late)).map(({ occurredAt }) => occurredAt);
    t.same(
      times,
      [...new Set(times)].sort(),
      'a demotion is announced later than the step that it reverts',
    );
  });
}

test('fraud reported of a voided payment demotes nobody', async (t) => {
  const subject = await newAgent({ ...modest, ...kind });
  const voided = { ...subject, authorizationId: newId('authorization') };
  await learnInOrder([recorded(voided), amended(voided, 'VOIDED'), ...payments(subject, 3)]);
  await learnInOrder([outcome({ ...voided, minute: 4 }, 'CONFIRMED_FRAUD')]);
  t.same(await levelsOf(subject), ['VERIFIED', 'TRUSTED']);
});

test('events from the bus take effect once, even if redelivered', async (t) => {
  const subject = await newAgent({ ...modest, ...kind });
  const events = payments(subject, 4);
  const received: BusEvent[] = [];
  context.bus.subscribe({
    environment: 'live',
    topic: 'trust.changed',
    handle: async (event) => {
      if ((event.data as { agentId: string }).agentId === subject.agentId) received.push(event);
    },
  });
  const publish = (wireId: string, event: ProfileEvent) => publishOne(context.bus, event, wireId);
  await Promise.all(events.map((event) => publish(event.id, event)));
  // Under new message ids, since the bus itself discards duplicates of recent ones.
  await Promise.all(events.map((event) => publish(newId('event'), event)));
  const promotions = () =>
    received.filter((event) => (event as BusEvent<'trust.changed'>).data.promoted);
  await until(() => promotions().length === 2, { what: 'both promotions' });
  t.same(await levelsOf(subject), ['VERIFIED', 'TRUSTED']);
});
