/** Which events open, resolve and announce fraud cases and patterns. */

import type { BusEvent, BusEventType, RecordedAuthorization } from '@countersign/kernel/event';
import { newId } from '@countersign/kernel/id';
import { Metrics } from '@countersign/runtime/metrics';
import { sweep } from '@countersign/runtime/retention';
import { until } from '@countersign/runtime/testing';
import { waitingForLocks } from '@countersign/runtime/testing/locks';
import root, { test } from 'tap';
import { triageConsumer } from '../triage/consumer.js';
import { triageMetrics } from '../triage/metrics.js';
import { triageSweeps } from '../triage/sweep.js';
import { triageInputOf } from '../triage/triage-input.js';
import { startDecision } from './decision-service.js';
import {
  amended,
  denial,
  type EventSubject,
  outcome,
  recorded,
  triaged,
} from './profile-events.js';

const { context, stop } = await startDecision();
root.teardown(stop);
const { pool } = context.stores.live;

/** A consumer, as another process of the service has. */
function replica() {
  const counted = triageMetrics(new Metrics('test'));
  const triage = triageConsumer({ pool, counted, onAnnounced: () => {}, everyMs: 0 });
  return async (...events: BusEvent[]): Promise<void> => {
    const inputs = events.flatMap((event) => triageInputOf(event) ?? []);
    await Promise.all(inputs.map(triage));
  };
}
const consume = replica();

const newAgent = () => ({ agentId: newId('agent'), principalId: newId('principal') });

/** A decision in a Program with triage. */
function decided(subject: EventSubject, data: Partial<RecordedAuthorization> = {}) {
  return recorded(subject, { triage: triaged({}).triage, ...data });
}

function suspected(subject: EventSubject, data: Partial<RecordedAuthorization> = {}) {
  return decided(subject, { decision: 'DECLINE', reasonCodes: ['FRAUD_SUSPECTED'], ...data });
}

function reported(
  subject: EventSubject,
  type: string,
  reportedBy = 'ISSUER',
): BusEvent<'outcome.recorded'> {
  const event = outcome(subject, type);
  return { ...event, data: { ...event.data, reportedBy } };
}

async function announced<T extends BusEventType>(
  type: T,
  { agentId }: { agentId: string },
): Promise<Array<BusEvent<T>>> {
  const { rows } = await pool.query<{ payload: string }>(
    `SELECT payload FROM outbox
     WHERE type = $1 AND payload::jsonb -> 'data' ->> 'agentId' = $2 ORDER BY seq`,
    [type, agentId],
  );
  return rows.map(({ payload }) => JSON.parse(payload) as BusEvent<T>);
}

async function casesOf({ agentId }: { agentId: string }) {
  const { rows } = await pool.query(
    'SELECT * FROM fraud_case WHERE agent_id = $1 ORDER BY created_at, id',
    [agentId],
  );
  return rows;
}

test('one case per authorization, however often its event is delivered', async (t) => {
  const subject = newAgent();
  const event = suspected(subject);
  const replicas = [replica(), replica(), replica()];
  await Promise.all(replicas.map((each) => each(event, event)));
  await consume(event);
  // The ledger republishes under a new id after a restore.
  await consume({ ...event, id: newId('event') });
  const [opened, ...more] = await casesOf(subject);
  t.same(more, []);
  t.match(opened, { status: 'OPEN', agent_id: subject.agentId, principal_id: subject.principalId });
  const [announcement, ...others] = await announced('fraud.case_opened', subject);
  t.same(others, []);
  t.has(announcement, {
    environment: 'live',
    principalId: subject.principalId,
    clientId: 'cli_1',
    data: {
      caseId: opened.id,
      authorizationId: event.data.authorizationId,
      agentId: subject.agentId,
      severity: 'LOW',
      amount: '10.00',
      currency: 'USD',
    },
  });
  t.same(announcement?.data.signals, [
    { code: 'FRAUD_SUSPECTED', score: 1 },
    { code: 'RISK_SCORE', score: 0.2 },
    { code: 'LOW_KYA_SCORE', score: 0.3775 },
  ]);
});

test('a case has a severity and its signals', async (t) => {
  const subject = newAgent();
  const { triage } = triaged(
    {},
    { riskScore: 0.9, riskCondition: 'HIGH', velocityIndicator: true, highestSeverity: 'MEDIUM' },
  );
  const reasonCodes = ['AMOUNT_STEP_UP', 'FRAUD_SUSPECTED'];
  await consume(suspected(subject, { triage, reasonCodes, intentAnomalyScore: 0.75, kyaScore: 1 }));
  const [opened] = await casesOf(subject);
  t.equal(opened.severity, 'HIGH', 'the higher of both');
  const codes = opened.signals.map(({ code }: { code: string }) => code);
  t.same(codes, [...reasonCodes, 'RISK_SCORE', 'INTENT_ANOMALY_SCORE', 'VELOCITY_INDICATOR']);
  for (const { score } of opened.signals) t.ok(score > 0 && score <= 1);
});

test('no case without triage in the Program, or for an unknown agent', async (t) => {
  const subject = newAgent();
  const plain = recorded(subject, { decision: 'DECLINE', reasonCodes: ['FRAUD_SUSPECTED'] });
  const unknown = suspected(subject, { agentId: null });
  await consume(plain, unknown, decided(subject), denial(subject));
  t.same(await casesOf(subject), []);
  t.equal(triageInputOf(plain), null);
  for (const decision of ['APPROVE', 'STEP_UP'] as const) {
    t.equal(triageInputOf(decided(subject, { decision })), null, 'inconspicuous ones are skipped');
  }
  const { rows } = await pool.query(`SELECT FROM inbox WHERE event_id = ANY($1)`, [
    [plain.id, unknown.id].map((id) => `${id}.triage`),
  ]);
  t.same(rows, []);
});

test('a fraud outcome resolves the case, in whatever order the events arrive', async (t) => {
  const rows = [
    ['CONFIRMED_FRAUD', 'CONFIRMED_FRAUD'],
    ['PRINCIPAL_CONFIRMED_UNAUTHORIZED', 'CONFIRMED_FRAUD'],
    ['FALSE_POSITIVE_REPORTED', 'FALSE_POSITIVE'],
    ['PRINCIPAL_CONFIRMED_LEGITIMATE', 'FALSE_POSITIVE'],
  ] as const;
  for (const [type, resolution] of rows) {
    for (const overtaking of [false, true]) {
      const subject = { ...newAgent(), authorizationId: newId('authorization') };
      const events = [suspected(subject), reported(subject, type)];
      for (const event of overtaking ? events.reverse() : events) await consume(event);
      await consume(...events, reported(subject, 'CONFIRMED_FRAUD', 'MERCHANT'));
      t.match(await casesOf(subject), [
        { status: 'RESOLVED', resolution, resolved_by: 'ISSUER', resolved_at: Date },
      ]);
      t.equal((await announced('fraud.case_opened', subject)).length, 1);
      const resolved = await announced('fraud.case_resolved', subject);
      t.equal(resolved.length, 1, `${type}, ${overtaking}`);
      t.match(resolved[0]?.data, { resolution, resolvedBy: 'ISSUER', outcome: null });
    }
  }
});

test('other outcomes, and those of other Principals, resolve nothing', async (t) => {
  const subject = { ...newAgent(), authorizationId: newId('authorization') };
  const stranger = { ...subject, principalId: newId('principal') };
  await consume(suspected(subject), reported(stranger, 'CONFIRMED_FRAUD'));
  for (const type of ['SETTLED', 'CHARGEBACK', 'toString']) await consume(reported(subject, type));
  t.match(await casesOf(subject), [{ status: 'OPEN', resolved_by: null }]);
  const overtaken = { ...newAgent(), authorizationId: newId('authorization') };
  await consume(reported({ ...overtaken, principalId: newId('principal') }, 'CONFIRMED_FRAUD'));
  await consume(suspected(overtaken));
  t.match(await casesOf(overtaken), [{ status: 'OPEN', resolved_by: null }]);
});

test('an outcome and a decision that race in two replicas leave no case open', async (t) => {
  for (let round = 0; round < 40; round += 1) {
    const subject = { ...newAgent(), authorizationId: newId('authorization') };
    const events = [suspected(subject), reported(subject, 'CONFIRMED_FRAUD')];
    await Promise.all(events.map((event) => replica()(event)));
    t.match(await casesOf(subject), [{ status: 'RESOLVED' }]);
    t.equal((await announced('fraud.case_resolved', subject)).length, 1);
  }
});

test('an outcome that arrives while a call resolves the case changes nothing', async (t) => {
  const subject = { ...newAgent(), authorizationId: newId('authorization') };
  await consume(suspected(subject));
  const resolving = await pool.connect();
  await resolving.query('BEGIN');
  await resolving.query(
    `UPDATE fraud_case SET status = 'RESOLVED', resolution = 'FALSE_POSITIVE',
       resolved_by = principal_id, resolved_at = now() WHERE authorization_id = $1`,
    [subject.authorizationId],
  );
  const consuming = consume(reported(subject, 'CONFIRMED_FRAUD'));
  await until(async () => (await waitingForLocks(pool)) > 0, { what: 'the outcome to wait' });
  await resolving.query('COMMIT');
  resolving.release();
  await consuming;
  t.match(await casesOf(subject), [
    { resolution: 'FALSE_POSITIVE', resolved_by: subject.principalId },
  ]);
  t.same(await announced('fraud.case_resolved', subject), [], 'the call announces it');
});

/** Sightings of several indicators that suffice for a pattern. */
function takeover(subject: EventSubject): BusEvent[] {
  const keyFailure = { decision: 'DECLINE', reasonCodes: ['VI_SIGNATURE_INVALID'] } as const;
  const asked = { ...subject, authorizationId: newId('authorization') };
  return [
    decided({ ...subject, minute: 1 }, { ...keyFailure, reasonCodes: [...keyFailure.reasonCodes] }),
    decided(asked, { decision: 'STEP_UP', reasonCodes: ['AMOUNT_STEP_UP'] }),
    decided({ ...subject, minute: 2 }, { ...keyFailure, reasonCodes: [...keyFailure.reasonCodes] }),
    denial({ ...asked, minute: 3 }),
  ];
}

test('a pattern is published once, whatever the order and number of deliveries', async (t) => {
  for (const reversed of [false, true]) {
    const subject = newAgent();
    const events = takeover(subject);
    if (reversed) events.reverse();
    for (const event of events) await replica()(event);
    await Promise.all([replica(), replica()].map((each) => each(...events)));
    await consume(decided({ ...subject, minute: 9 }, { intentAnomalyTriggered: true }));
    const [pattern, ...more] = await announced('fraud.pattern_suspected', subject);
    t.same(more, []);
    t.match(pattern, {
      principalId: subject.principalId,
      data: {
        agentId: subject.agentId,
        confidence: 0.766,
        indicators: ['AGENT_KEY_FAILURES', 'STEP_UPS_DENIED'],
        recommendedAction: 'REVIEW_AGENT',
      },
    });
    t.equal(pattern?.data.authorizationIds.length, 3);
    const { rows } = await pool.query('SELECT * FROM fraud_pattern WHERE agent_id = $1', [
      subject.agentId,
    ]);
    t.match(rows, [{ id: pattern?.data.patternId, principal_id: subject.principalId }]);
  }
});

test('requests of other Principals do not count as sightings of an agent', async (t) => {
  const subject = newAgent();
  const stranger = { ...subject, principalId: newId('principal') };
  const [first, ...rest] = takeover(subject);
  const elsewhere = rest.map((event) => ({ ...event, principalId: stranger.principalId }));
  await consume(...(first ? [first] : []), ...elsewhere);
  t.same(await announced('fraud.pattern_suspected', subject), []);
});

test('challenges that end because their agent is revoked do not count as denials', async (t) => {
  const subject = newAgent();
  const [one, asked, two] = takeover(subject);
  await consume(...[one, asked, two].filter((event) => event !== undefined));
  await consume(amended({ ...subject, authorizationId: newId('authorization') }, 'STEP_UP_DENIED'));
  t.same(await announced('fraud.pattern_suspected', subject), []);
});

test('a watch has a bounded size', async (t) => {
  const subject = newAgent();
  const anomalies = Array.from({ length: 50 }, (_, minute) =>
    decided({ ...subject, minute }, { intentAnomalyTriggered: true }),
  );
  await consume(...anomalies);
  const { rows } = await pool.query(
    'SELECT length(state::text) AS size FROM agent_watch WHERE agent_id = $1',
    [subject.agentId],
  );
  t.equal(rows.length, 1);
  t.ok(rows[0].size < 1_000, `${rows[0].size} characters`);
});

test('a watch is kept for as long as its agent is sighted', async (t) => {
  const subject = newAgent();
  const sighted = (minute: number) =>
    consume(decided({ ...subject, minute }, { intentAnomalyTriggered: true }));
  await sighted(1);
  const { agentId } = subject;
  await pool.query(
    `UPDATE agent_watch SET updated_at = now() - interval '3 days' WHERE agent_id = $1`,
    [agentId],
  );
  await sighted(2);
  await sweep(pool, triageSweeps(30));
  const { rows } = await pool.query('SELECT FROM agent_watch WHERE agent_id = $1', [agentId]);
  t.equal(rows.length, 1);
});
