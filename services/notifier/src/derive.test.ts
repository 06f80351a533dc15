import {
  type BusEvent,
  type BusEventData,
  isQuiet,
  type RecordedAuthorization,
  type TrustChange,
} from '@countersign/kernel/event';
import { encodeBase32, isId, newId } from '@countersign/kernel/id';
import {
  isRegistrableEvent,
  sampleEventData,
  webhookEventCatalog,
  webhookEventTypes,
} from '@countersign/kernel/webhook-event';
import { test } from 'tap';
import { derive, nameFor } from './derive.js';
import { recorded } from './test/notifier.js';

const principalId = newId('principal');

function caused(data: Partial<RecordedAuthorization>): Record<string, object> {
  const events = derive(recorded(principalId, data));
  return Object.fromEntries(events.map((event) => [event.type, event.data]));
}

function promotion(data: Partial<TrustChange> = {}): BusEvent<'trust.changed'> {
  const { id, environment, clientId, requestId, occurredAt } = recorded(principalId);
  return {
    ...{ id, environment, clientId, requestId, occurredAt, principalId },
    type: 'trust.changed',
    data: {
      agentId: 'agt_1',
      authorizationId: 'auth_1',
      previousTrustLevel: 'REGISTERED',
      newTrustLevel: 'VERIFIED',
      promoted: true,
      kyaScore: 0.82,
      ...data,
    },
  };
}

type TriageType = 'fraud.case_opened' | 'fraud.case_resolved' | 'fraud.pattern_suspected';

function triage<T extends TriageType>(type: T, data: BusEventData[T]): BusEvent {
  return { ...promotion(), type, data } as unknown as BusEvent;
}

const [authorizationId, agentId] = [newId('authorization'), newId('agent')];
const about = { caseId: newId('fraudCase'), authorizationId, agentId };
const opened = triage('fraud.case_opened', {
  ...about,
  severity: 'CRITICAL',
  signals: [{ code: 'FRAUD_SUSPECTED', score: 1 }],
  amount: '7.5',
  currency: 'USD',
});
const resolved = triage('fraud.case_resolved', {
  ...about,
  resolution: 'FALSE_POSITIVE',
  resolvedBy: principalId,
  outcome: { id: newId('outcome'), type: 'FALSE_POSITIVE_REPORTED' },
});
const pattern = triage('fraud.pattern_suspected', {
  patternId: newId('fraudPattern'),
  agentId,
  confidence: 0.748,
  indicators: ['AGENT_KEY_FAILURES', 'INTENT_ANOMALIES'],
  authorizationIds: [authorizationId],
  recommendedAction: 'REVIEW_AGENT',
});

/** The table of the interface specification: which events a decision causes. */
const table: Array<[what: string, data: Partial<RecordedAuthorization>, types: string[]]> = [
  ['a plain approval', { decision: 'APPROVE' }, []],
  ['an approval in AMBER', { decision: 'APPROVE', zone: 'AMBER' }, []],
  ['an approval in RED', { decision: 'APPROVE', zone: 'RED' }, ['kya.zone.red']],
  [
    'an approval in CRITICAL',
    { decision: 'APPROVE', zone: 'CRITICAL' },
    ['kya.zone.critical', 'session.terminate'],
  ],
  ['a decline', { decision: 'DECLINE' }, ['authorization.decline']],
  ['a decline of an unknown agent', { agentId: null, zone: null }, ['authorization.decline']],
  ['a step-up', { decision: 'STEP_UP' }, ['step_up.created']],
  [
    'a step-up for an anomaly',
    { decision: 'STEP_UP', intentAnomalyTriggered: true },
    ['gate.fired', 'step_up.created'],
  ],
  [
    'everything at once',
    { decision: 'DECLINE', intentAnomalyTriggered: true, zone: 'CRITICAL' },
    ['authorization.decline', 'gate.fired', 'kya.zone.critical', 'session.terminate'],
  ],
];

for (const [what, data, types] of table) {
  test(`${what} causes ${types.join(', ') || 'nothing'}`, async (t) => {
    t.same(Object.keys(caused(data)).sort(), types);
    t.equal(isQuiet(recorded(principalId, data).data), types.length === 0);
  });
}

test('the fields of every event are those of its sample in the catalog', async (t) => {
  const all: Record<string, object> = {
    ...caused({ decision: 'DECLINE', intentAnomalyTriggered: true, zone: 'CRITICAL' }),
    ...caused({ decision: 'STEP_UP', zone: 'RED' }),
    'trust.promotion': derive(promotion())[0]?.data ?? {},
  };
  for (const event of [opened, resolved, pattern]) {
    for (const { type, data } of derive(event)) all[type] = data;
  }
  t.same(Object.keys(all).sort(), [...webhookEventTypes].sort());
  for (const { type, samplePayload } of webhookEventCatalog) {
    t.same(Object.keys(all[type] ?? {}).sort(), Object.keys(samplePayload.data).sort(), type);
  }
  t.has(all['kya.zone.critical'], { zone: 'CRITICAL', amount: '12.50' });
  t.match(all['kya.zone.red'], { zone: 'RED' });
});

test('values are passed on, amounts in the decimals of their currency', async (t) => {
  const data = { amount: '7', currency: 'KWD', intentAnomalyTriggered: true };
  t.has(caused({ ...data, intentAnomalyScore: 0.75 })['gate.fired'], {
    amount: '7.000',
    anomaly_score: 0.75,
  });
  t.match(caused({ zone: 'RED', cognitiveLimitMultiplier: 0.5 })['kya.zone.red'], {
    cognitive_limit_multiplier: 0.5,
  });
  t.same(derive(promotion())[0]?.data, {
    agent_id: 'agt_1',
    authorization_id: 'auth_1',
    new_trust_level: 'VERIFIED',
    kya_score: 0.82,
  });
  t.same(derive(promotion({ promoted: false, newTrustLevel: 'REGISTERED' })), []);
});

test('events of fraud triage contain exactly the documented fields', async (t) => {
  const ids = { authorization_id: authorizationId, agent_id: agentId };
  const derived = (event: BusEvent) => derive(event).map(({ type, data }) => [type, data]);
  t.strictSame(derived(opened), [
    [
      'fraud.triage.suspected_created',
      {
        case_id: about.caseId,
        ...ids,
        severity: 'CRITICAL',
        signals: [{ code: 'FRAUD_SUSPECTED', score: 1 }],
        amount: '7.50',
        currency: 'USD',
      },
    ],
  ]);
  t.strictSame(derived(resolved), [
    [
      'fraud.triage.resolved',
      {
        case_id: about.caseId,
        ...ids,
        resolution: 'FALSE_POSITIVE',
        resolved_by: principalId,
      },
    ],
  ]);
  t.strictSame(derived(pattern), [
    [
      'fraud.pattern.agto_suspected',
      {
        pattern_id: pattern.data && (pattern.data as { patternId?: string }).patternId,
        agent_id: agentId,
        confidence: 0.748,
        indicators: ['AGENT_KEY_FAILURES', 'INTENT_ANOMALIES'],
        authorization_ids: [authorizationId],
        recommended_action: 'REVIEW_AGENT',
      },
    ],
  ]);
  for (const event of [opened, resolved, pattern]) {
    t.throws(() => derive({ ...event, data: {} as never }), TypeError);
  }
});

test('event ids are derived from cause and type, and are valid ids', async (t) => {
  const event = recorded(principalId, { zone: 'CRITICAL' });
  const [first, second] = [derive(event), derive(structuredClone(event))];
  t.same(first, second);
  t.equal(new Set(first.map(({ id }) => id)).size, 3);
  for (const { id } of first) t.ok(isId('event', id), id);
  const next = derive({ ...event, id: newId('event') });
  t.not(next[0]?.id, first[0]?.id);
  // By any release: what is derived again, as after a restore, has the same id.
  const [known] = derive({ ...event, id: 'evt_1', occurredAt: '2026-11-21T09:30:00.000Z' });
  const uuid = '01a1fd70-f1c0-7839-b201-a98009619bee';
  t.equal(known?.id, `evt_${encodeBase32(Buffer.from(uuid.replaceAll('-', ''), 'hex'))}`);
});

test('an event of invalid shape is an error, one of an unknown type causes nothing', async (t) => {
  const event = recorded(principalId);
  for (const field of ['authorizationId', 'amount', 'currency', 'reasonCodes']) {
    const data = { ...event.data, [field]: undefined } as never;
    t.throws(() => derive({ ...event, data }), TypeError, field);
  }
  t.throws(() => derive({ ...promotion(), data: null as never }), TypeError);
  t.throws(() => derive(promotion({ agentId: undefined as never })), TypeError);
  const other = { ...recorded(principalId), type: 'outcome.recorded' as const };
  t.same(derive(other as unknown as BusEvent), []);
});

test('a webhook receives an event under the registered name', async (t) => {
  t.equal(nameFor('kya.zone.red', ['kya.zone.red']), 'kya.zone.red');
  t.equal(nameFor('kya.zone.red', ['cts.red']), 'cts.red');
  t.equal(nameFor('kya.zone.red', ['cts.red', 'kya.zone.red']), 'kya.zone.red');
  t.equal(nameFor('kya.zone.red', ['*', 'cts.red']), 'cts.red');
  t.equal(nameFor('kya.zone.red', ['*']), 'kya.zone.red');
  t.equal(nameFor('kya.zone.critical', ['cts.red']), null);
  t.equal(nameFor('trust.promotion', ['authorization.decline']), null);
});

test('the catalog contains a valid sample of every type', async (t) => {
  t.same(
    webhookEventCatalog.map(({ type }) => type),
    webhookEventTypes,
  );
  for (const { type, description, samplePayload } of webhookEventCatalog) {
    t.ok(description.endsWith('.'));
    t.ok(isId('event', samplePayload.id));
    t.equal(samplePayload.event, type);
    for (const [key, value] of Object.entries(samplePayload.data)) {
      const kinds = { agent_id: 'agent', authorization_id: 'authorization' } as const;
      if (key in kinds)
        t.ok(isId(kinds[key as keyof typeof kinds], String(value)), `${type} ${key}`);
    }
    t.same(sampleEventData(type), { ...samplePayload.data, test: true });
  }
  for (const name of ['*', 'cts.red', 'cts.critical', 'gate.fired']) t.ok(isRegistrableEvent(name));
  for (const name of ['', 'gate', 'toString', 'cts.amber', '**']) t.notOk(isRegistrableEvent(name));
});
