import type { RecordedAuthorization } from '@countersign/kernel/event';
import { newId } from '@countersign/kernel/id';
import type { PaymentInput } from '@countersign/proto/decision';
import root, { type Test, test } from 'tap';
import type { Baseline } from '../anomaly/baseline.js';
import { column } from '../anomaly/past-row.js';
import type { ProfileEvent } from '../profile/learn.js';
import { readRecord } from '../record/read-record.js';
import { StateCache } from '../state/cache.js';
import { authorizeRequest, callOptions, newAgentIds, startDecision } from './decision-service.js';
import { type AgentIds, spendingFacts } from './fake-identity.js';
import { immediateConsumer } from './immediate-consumer.js';
import { amended, outcome, recorded } from './profile-events.js';
import { proposedEvent } from './proposed-event.js';
import { later, readerOf } from './reader.js';
import { replay } from './replay.js';

const { client, identity, ledger, context, stop } = await startDecision();
root.teardown(stop);
const { pool } = context.stores.live;

/** Consumer and reader with one cache, as each process of the service has. */
function replica(cache = new StateCache()) {
  const reader = readerOf(pool, cache);
  const learn = immediateConsumer({ pool, cache });
  return {
    consume: (...events: ProfileEvent[]) => Promise.all(events.map(learn)),
    baseline: async (agentId: string) =>
      (await reader.read({ principalId: 'prn_1', agentId, endsAt: later() })).baseline,
  };
}

/** The process that makes the decisions. */
const here = replica(context.stateCache.live);

let tasks = 0;

async function pay(ids: AgentIds, payment: PaymentInput) {
  const mandate = {
    maxAmountPerTransaction: '10000',
    maxDailyAmount: '100000',
    maxMonthlyAmount: '100000',
  };
  identity.answers = [spendingFacts(ids, { mandate })];
  tasks += 1;
  const intentContext = { taskReference: `order-${tasks}`, ...payment.intentContext };
  const request = authorizeRequest(ids, { ...payment, intentContext });
  const { answer } = await client.call.Authorize(request, callOptions);
  const proposal = ledger.lastProposal();
  const event = proposedEvent(proposal);
  return { answer: JSON.parse(answer), event, proposal };
}

const usual: PaymentInput = { merchantName: 'Corner Shop', mcc: '5411', country: 'USA' };
const unusual: PaymentInput = { amount: '100.00', merchantName: 'Elsewhere', mcc: '7995' };
const amountOf = (number: number): string => (9 + (number % 5) * 0.5).toFixed(2);

/** An agent with `count` ordinary payments, whose events `learnt` consumes. */
async function experienced(count: number, learnt = here): Promise<AgentIds> {
  const ids = newAgentIds();
  const tenant = { clientId: 'cli_1', principalId: ids.principalId };
  const changesJson = JSON.stringify({ velocity_burst_count: 1_000_000 });
  await client.call.PutThresholds({ tenant, changesJson }, callOptions);
  for (let number = 0; number < count; number += 1) {
    const { answer, event } = await pay(ids, { ...usual, amount: amountOf(number) });
    if (answer.decision !== 'APPROVE') throw new Error(answer.reason_detail);
    await learnt.consume(event);
  }
  return ids;
}

test('ten times the amount, a new country and a new MCC need a human', async (t) => {
  const ids = await experienced(12);
  const ordinary = await pay(ids, { ...usual, amount: '10.20' });
  t.match(ordinary.answer, {
    decision: 'APPROVE',
    intent_anomaly_score: 0,
    intent_anomaly_skipped: false,
  });
  const { answer, event, proposal } = await pay(ids, { ...usual, ...unusual });
  t.match(answer, {
    decision: 'STEP_UP',
    reason_codes: ['INTENT_ANOMALY_STEP_UP'],
    intent_anomaly_triggered: true,
    intent_anomaly_skipped: false,
    risk_assessment: { reason_codes: ['INTENT_ANOMALY_STEP_UP', 'ANOMALY_AMOUNT'] },
  });
  t.match(answer.reason_detail, 'mostly amount');
  t.match(event.data, { intentAnomalyTriggered: true, intentAnomalyScore: 0.5849 });
  const texts = ledger.textsOf(proposal);
  t.strictSame(replay(texts)?.reasonCodes, answer.reason_codes, 'replayed from the record alone');
  t.match(readRecord(texts)?.scores?.anomaly, {
    score: 0.5849,
    baselineSize: 12,
    features: [
      { name: 'AMOUNT', weight: 0.45, strength: 1 },
      { name: 'MCC', weight: 0.25, strength: 0.5 },
      { name: 'MERCHANT', weight: 0.15, strength: 0.9167 },
    ],
  });
  const { authorizationId } = event.data;
  const tenant = { clientId: 'cli_1', principalId: ids.principalId };
  const explained = await client.call.ExplainAuthorization(
    { tenant, authorizationId },
    callOptions,
  );
  t.match(JSON.parse(explained.explanationJson), {
    reproduced: true,
    scores: { anomaly: { baseline_size: 12, features: [{ weight: 0.45, strength: 1 }, {}, {}] } },
    inputs: { likeness: { n: 12, mcc: [0, 12], new_merchant: [1, 12] } },
  });
});

test('the same if another replica learnt the history', async (t) => {
  const ids = await experienced(12, replica());
  const { answer } = await pay(ids, { ...usual, ...unusual });
  t.equal(answer.decision, 'STEP_UP');
});

test('nine payments are too few to compare, but a loop is recognized', async (t) => {
  const ids = await experienced(9);
  const { answer } = await pay(ids, { ...usual, ...unusual });
  t.match(answer, { decision: 'APPROVE', intent_anomaly_score: 0, intent_anomaly_skipped: true });
  const loop = { ...usual, amount: '10.00', intentContext: { taskReference: 'the-same' } };
  const scores: number[] = [];
  for (let time = 0; time < 3; time += 1) {
    const { answer: again, event } = await pay(ids, loop);
    scores.push(again.intent_anomaly_score);
    await here.consume(event);
  }
  t.strictSame(scores, [0, 0, 0.35]);
});

test('events contain no text of the agent', async (t) => {
  const ids = newAgentIds();
  const said = 'Because the harbour office needs paper';
  const intentContext = { taskReference: 'harbour-task', reasoningSummary: said };
  const { event, proposal } = await pay(ids, { ...usual, amount: '10.00', intentContext });
  const { trace } = event.data.learning ?? {};
  t.match(trace, { mcc: '5411', place: 'USA', reasoning: [said.length, String] });
  t.notMatch(proposal.eventDataJson.toLowerCase(), 'harbour');
});

const everything = {
  task: '00000000000ff',
  mcc: '5411',
  place: 'USA',
  reasoning: [40, 'A'.repeat(43)] as [number, string],
};

function judged(agentId: string, minute: number, data: Partial<RecordedAuthorization> = {}) {
  const authorizationId = newId('authorization');
  const event = recorded({ agentId, authorizationId, minute }, data);
  const { learning } = event.data;
  if (learning) event.data.learning = { ...learning, trace: everything };
  return { event, subject: { agentId, authorizationId, minute: minute + 1 } };
}

/** All replicas, and a new one, must have exactly the same history. */
async function sameEverywhere(t: Test, agentId: string, replicas: Array<typeof here>) {
  const [first, ...others] = await Promise.all(
    [...replicas, replica()].map(({ baseline }) => baseline(agentId)),
  );
  for (const other of others) {
    for (const kind of ['approved', 'others', 'reasons'] as const) {
      t.strictSame(rowsOf(other, kind), rowsOf(first, kind), kind);
    }
    t.equal(other?.version, first?.version);
  }
  return { approved: first?.approved.count, others: first?.others.count };
}

function rowsOf(baseline: Baseline | null | undefined, kind: 'approved' | 'others' | 'reasons') {
  const rows = baseline?.[kind];
  return Array.from({ length: rows?.count ?? 0 }, (_, at) => [...(rows?.row(at) ?? [])]);
}

test('voided and fraudulent payments leave the history, reversed ones stay', async (t) => {
  const agentId = newId('agent');
  const [one, other] = [replica(), replica()];
  const payments = Array.from({ length: 6 }, (_, minute) => judged(agentId, minute));
  const challenge = judged(agentId, 10, { decision: 'STEP_UP', reasonCodes: ['AMOUNT_STEP_UP'] });
  const declined = judged(agentId, 11, { decision: 'DECLINE', reasonCodes: ['MCC_BLOCKED'] });
  await one.consume(...payments.map(({ event }) => event), challenge.event, declined.event);
  t.strictSame(await sameEverywhere(t, agentId, [one, other]), { approved: 6, others: 2 });
  await other.consume(amended(challenge.subject, 'STEP_UP_CONFIRMED'));
  t.strictSame(await sameEverywhere(t, agentId, [one, other]), { approved: 7, others: 1 });
  const [voided, fraud, unwanted, reversed] = payments.map(({ subject }) => subject);
  if (!voided || !fraud || !unwanted || !reversed) throw new Error('too few payments');
  await one.consume(amended(voided, 'VOIDED'), outcome(fraud, 'CONFIRMED_FRAUD'));
  t.strictSame(await sameEverywhere(t, agentId, [one, other]), { approved: 5, others: 1 });
  await other.consume(
    outcome(unwanted, 'PRINCIPAL_CONFIRMED_UNAUTHORIZED'),
    amended(reversed, 'REVERSED'),
  );
  t.strictSame(await sameEverywhere(t, agentId, [one, other]), { approved: 4, others: 1 });
});

test('the history is bounded and does not depend on the order of events', async (t) => {
  const events = Array.from({ length: 330 }, (_, minute) => {
    const refused = { decision: 'DECLINE', reasonCodes: ['MCC_BLOCKED'] } as const;
    return judged('', minute, minute % 4 === 0 ? { ...refused, reasonCodes: ['MCC_BLOCKED'] } : {});
  });
  const backwards = [...events].reverse();
  const found: unknown[] = [];
  for (const order of [events, backwards]) {
    const agentId = newId('agent');
    const [one, other] = [replica(), replica()];
    for (let from = 0; from < order.length; from += 55) {
      const group = order.slice(from, from + 55).map(({ event }) => ({
        ...event,
        data: { ...event.data, authorizationId: `${event.data.authorizationId}${from}`, agentId },
      }));
      const hearing = from % 2 === 0 ? one : other;
      await hearing.consume(...group);
    }
    t.strictSame(await sameEverywhere(t, agentId, [one, other]), { approved: 200, others: 64 });
    const approved = rowsOf(await one.baseline(agentId), 'approved');
    found.push(approved.map((row) => row[column.at]));
    const { rows } = await pool.query('SELECT FROM agent_trace WHERE agent_id = $1', [agentId]);
    t.ok(rows.length <= 200 + 64 + 64, `${rows.length} rows`);
  }
  t.strictSame(found[0], found[1]);
});
