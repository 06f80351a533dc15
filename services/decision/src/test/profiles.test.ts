import assert from 'node:assert/strict';
import { packedTopic } from '@countersign/kernel/event';
import { newId } from '@countersign/kernel/id';
import { packedData, packedEvent } from '@countersign/kernel/packed-event';
import { until } from '@countersign/runtime/testing';
import { publishOne } from '@countersign/runtime/testing/publish-one';
import fc from 'fast-check';
import root, { test } from 'tap';
import type { ProfileEvent } from '../profile/learn.js';
import { type DecayedCounter, halfLives, type ProfileState } from '../profile/state.js';
import { remaining } from '../scores/decay.js';
import { profileSql } from '../sql.js';
import { callOptions, startDecision } from './decision-service.js';
import {
  amended,
  denial,
  type EventSubject,
  learnAll,
  outcome,
  recorded,
  startedAt,
} from './profile-events.js';

const { client, context, stop } = await startDecision();
root.teardown(stop);

async function publish(...events: ProfileEvent[]): Promise<void> {
  await Promise.all(events.map((event) => publishOne(context.bus, event)));
}

async function profileOf(agentId: string) {
  const { profiles } = await client.call.GetAgentProfiles({ agentIds: [agentId] }, callOptions);
  const [profile] = profiles;
  if (!profile) throw new Error('no profile');
  return profile;
}

function profileOnce(agentId: string, condition: (profile: Profile) => boolean) {
  return until(
    async () => {
      const profile = await profileOf(agentId);
      return condition(profile) ? profile : null;
    },
    { what: 'the profile' },
  );
}

type Profile = Awaited<ReturnType<typeof profileOf>>;

test('an agent without history has no score, no counts and no disputes', async (t) => {
  const agentId = newId('agent');
  t.strictSame(await profileOf(agentId), {
    agentId,
    totalTransactions: 0,
    declinedTransactions: 0,
    successfulTransactions: 0,
    declineRate: 0,
    disputeDeflectionRate: 1,
  });
});

test('long lists are read one at a time, and one agent beside them', async (t) => {
  const { pool } = context.stores[callOptions.environment];
  const query = pool.query.bind(pool);
  let one = (): void => {};
  const oneIsRead = new Promise<void>((resolve) => {
    one = resolve;
  });
  let underWay = 0;
  const atOnce: number[] = [];
  t.intercept(pool, 'query', {
    value: async (text: string, values: string[][]) => {
      if (text !== profileSql.find) return query(text, values);
      if (Number(values[0]?.length) > 1) {
        underWay += 1;
        atOnce.push(underWay);
        await oneIsRead;
        underWay -= 1;
      }
      return { rows: [] };
    },
  });
  const list = (length: number) => {
    const agentIds = Array.from({ length }, () => newId('agent'));
    return client.call.GetAgentProfiles({ agentIds }, callOptions);
  };
  const long = Promise.all([list(500), list(500), list(101)]);
  await until(() => atOnce.length === 1, { what: 'the first long list' });
  t.equal((await list(1)).profiles.length, 1);
  one();
  t.same(
    (await long).map(({ profiles }) => profiles.length),
    [500, 500, 101],
  );
  t.same(atOnce, [1, 1, 1]);
});

test('approvals that nobody else is told of are learned from', async (t) => {
  const agentId = newId('agent');
  const approval = recorded({ agentId });
  const { environment } = approval;
  const payloads = [packedEvent(approval, packedData(approval.data))];
  const message = { id: newId('event'), topic: packedTopic, environment } as const;
  await context.bus.publishTogether({ ...message, payloads });
  const profile = await profileOnce(agentId, (p) => p.totalTransactions === 1);
  t.equal(profile.successfulTransactions, 1);
});

test('an event is counted once, and announced only if the trust level changes', async (t) => {
  const agentId = newId('agent');
  const approvals = Array.from({ length: 9 }, () => recorded({ agentId }));
  const declined = recorded({ agentId }, { decision: 'DECLINE', reasonCodes: ['MCC_BLOCKED'] });
  await publish(...approvals, declined, ...approvals, declined);
  const profile = await profileOnce(agentId, (p) => p.totalTransactions === 10);
  t.match(profile, {
    declinedTransactions: 1,
    successfulTransactions: 9,
    declineRate: 0.1,
  });
  const { pool } = context.stores.live;
  const { rows } = await pool.query('SELECT version FROM agent_profile WHERE agent_id = $1', [
    agentId,
  ]);
  t.equal(rows[0].version, 10, 'no event twice');
  t.equal(
    (await pool.query('SELECT FROM outbox WHERE payload LIKE $1', [`%${agentId}%`])).rowCount,
    0,
  );
});

test('fail-safe answers and unknown agents are not counted', async (t) => {
  const agentId = newId('agent');
  const unjudged = { learning: undefined, decision: 'DECLINE' } as const;
  const notFound = { authorizationId: newId('authorization'), agentId };
  await publish(
    recorded({ agentId }, { ...unjudged, reasonCodes: ['SYSTEM_FAIL_SAFE'] }),
    recorded(notFound, { ...unjudged, reasonCodes: ['AGENT_NOT_FOUND'] }),
    // Fraud that another Principal reports of its own refused request must not harm the agent.
    outcome(notFound, 'CONFIRMED_FRAUD'),
  );
  const { pool } = context.stores.live;
  await until(async () => {
    const { rows } = await pool.query('SELECT FROM profile_entry WHERE authorization_id = $1', [
      notFound.authorizationId,
    ]);
    return rows.length > 0;
  });
  t.match(await profileOf(agentId), { totalTransactions: 0, kyaScore: undefined });
});

test('later events: confirmed, denied, partly reversed, voided, disputed', async (t) => {
  const agentId = newId('agent');
  const [confirmed, denied, reversed, voided, disputed] = Array.from({ length: 5 }, () => ({
    agentId,
    authorizationId: newId('authorization'),
  })) as [EventSubject, EventSubject, EventSubject, EventSubject, EventSubject];
  await publish(
    recorded(confirmed, { decision: 'STEP_UP', reasonCodes: ['AMOUNT_STEP_UP'] }),
    recorded(denied, { decision: 'STEP_UP', reasonCodes: ['AMOUNT_STEP_UP'] }),
    recorded(reversed),
    recorded(voided),
    recorded(disputed),
  );
  await profileOnce(agentId, (p) => p.totalTransactions === 5);
  await publish(
    amended(confirmed, 'STEP_UP_CONFIRMED'),
    denial(denied),
    amended(reversed, 'REVERSED', '4.00'),
    amended(reversed, 'REVERSED', '6.00'),
    amended(voided, 'VOIDED'),
    outcome(disputed, 'CHARGEBACK'),
    outcome(confirmed, 'PRINCIPAL_CONFIRMED_LEGITIMATE'),
    outcome(confirmed, 'PRINCIPAL_CONFIRMED_LEGITIMATE'),
  );
  const profile = await profileOnce(
    agentId,
    (p) => p.totalTransactions === 4 && p.disputeDeflectionRate === 0.5 && p.declineRate === 0.25,
  );
  t.match(profile, {
    declinedTransactions: 1,
    successfulTransactions: 2,
  });
});

test('a malformed event does not block the others of its group', async (t) => {
  const agentId = newId('agent');
  const poisoned = recorded({ agentId }, { amount: 'not an amount' });
  await publish(recorded({ agentId }), poisoned, recorded({ agentId }));
  const profile = await profileOnce(agentId, (p) => p.totalTransactions === 2);
  t.equal(profile.successfulTransactions, 2);
});

/** A short history of one agent: decisions with all events that may follow them. */
const followed = fc.record({
  decision: fc.constantFrom('APPROVE' as const, 'DECLINE' as const, 'STEP_UP' as const),
  reasonCodes: fc.subarray(['MCC_BLOCKED', 'DAILY_AMOUNT_EXCEEDED', 'AMOUNT_STEP_UP']),
  amendments: fc.uniqueArray(fc.constantFrom('REVERSED' as const, 'VOIDED' as const)),
  outcomes: fc.uniqueArray(
    fc.constantFrom('SETTLED', 'CHARGEBACK', 'DISPUTE_RESOLVED', 'FALSE_POSITIVE_REPORTED'),
  ),
});

function eventsOf(past: Array<typeof followed extends fc.Arbitrary<infer T> ? T : never>) {
  const agentId = 'agt_1';
  return past.flatMap(({ decision, reasonCodes, amendments, outcomes }, index) => {
    const subject = { agentId, authorizationId: `auth_${index}` };
    return [
      recorded({ ...subject, minute: index }, { decision, reasonCodes }),
      ...amendments.map((kind, n) => amended({ ...subject, minute: 100 + index + n }, kind)),
      ...outcomes.map((type, n) => outcome({ ...subject, minute: 200 + index + n }, type)),
    ];
  });
}

/** Counters decay from the newest counted event on, so they are compared at a common time. */
function worthNow(state: ProfileState | null, counter: DecayedCounter): number {
  if (!state) return 0;
  const age = startedAt + 1_000 * 60_000 - state.asOf;
  return state.decayed[counter] * remaining(age, halfLives[counter]);
}

test('counters do not depend on the order of events', (t) => {
  const shuffledPast = fc
    .array(followed, { minLength: 1, maxLength: 5 })
    .map(eventsOf)
    .chain((events) =>
      fc.tuple(
        fc.constant(events),
        fc.shuffledSubarray(events, { minLength: events.length, maxLength: events.length }),
      ),
    );
  fc.assert(
    fc.property(shuffledPast, ([inOrder, shuffled]) => {
      const [one, other] = [learnAll(inOrder), learnAll(shuffled)];
      assert.deepEqual(other?.totals, one?.totals);
      assert.deepEqual(other?.marks, one?.marks);
      for (const counter of Object.keys(halfLives) as DecayedCounter[]) {
        const [mine, theirs] = [worthNow(one, counter), worthNow(other, counter)];
        assert.ok(Math.abs(theirs - mine) < 1e-9, `${counter}: ${theirs} and ${mine}`);
      }
    }),
    { numRuns: 300 },
  );
  t.end();
});
