import fc from 'fast-check';
import { test } from 'tap';
import type { BusEvent } from './event.js';
import { type PackedEvent, packedData, packedEvent, unpackedEvent } from './packed-event.js';

type Recorded = BusEvent<'authorization.recorded'>;

const text = fc.string({ unit: 'binary' });
const maybe = fc.option(text);
const score = fc.double({ min: 0, max: 1, noNaN: true });

const trace = fc.record(
  {
    task: text,
    mcc: text,
    place: text,
    alternatives: fc.nat(),
    confidence: score,
    reasoning: fc.tuple(fc.nat(), text),
  },
  { requiredKeys: ['task'] },
);

const learning = fc.record({
  trustLevel: text,
  agentCreatedAt: text,
  principalVerified: fc.boolean(),
  keyRegistered: fc.boolean(),
  maxAmountPerTransaction: maybe,
  merchant: maybe,
  viVerified: fc.boolean(),
  anomalySkipped: fc.boolean(),
  trace,
});

const triage = fc.record({
  riskScore: score,
  riskCondition: fc.constantFrom('CLEAN' as const, 'ELEVATED' as const, 'SEVERE' as const),
  velocityIndicator: fc.boolean(),
  highestSeverity: text,
});

const decided = {
  authorizationId: text.map((name) => `auth_${name}`),
  agentId: maybe,
  mandateId: maybe,
  programId: maybe,
  decision: fc.constantFrom('APPROVE' as const, 'DECLINE' as const, 'STEP_UP' as const),
  reasonCodes: fc.array(text, { maxLength: 3 }),
  reasonDetail: text,
  amount: text,
  currency: text,
  rail: fc.constantFrom('CARD' as const, 'CRYPTO' as const),
  processingTimeMs: fc.double({ min: 0, max: 10_000, noNaN: true }),
  kyaScore: score,
  zone: fc.option(fc.constantFrom('GREEN' as const, 'RED' as const)),
  cognitiveLimitMultiplier: score,
  intentAnomalyScore: score,
  intentAnomalyTriggered: fc.boolean(),
  stepUpExpiresAt: maybe,
};
const data = fc.oneof(
  fc.record(decided),
  fc.record({ ...decided, learning }),
  fc.record({ ...decided, triage }),
  fc.record({ ...decided, learning, triage }),
);

const named = {
  environment: fc.constantFrom('live' as const, 'sandbox' as const),
  principalId: maybe,
  clientId: maybe,
  requestId: maybe,
  occurredAt: text,
  data,
};
const carrier = fc.record(
  { traceparent: text, tracestate: text },
  { requiredKeys: ['traceparent'] },
);
const anyEvent = fc
  .oneof(fc.record(named), fc.record({ ...named, trace: carrier }))
  .map((event): Recorded => {
    const id = event.data.authorizationId.replace('auth_', 'evt_');
    return { ...event, id, type: 'authorization.recorded' } as Recorded;
  });

function sent(event: Recorded): PackedEvent {
  return JSON.parse(packedEvent(event, packedData(event.data)));
}

test('an event is read as it was before it was packed', async (t) => {
  fc.assert(
    fc.property(anyEvent, (event) => {
      const read = unpackedEvent(sent(event), event.environment);
      t.strictSame(read, JSON.parse(JSON.stringify(event)));
    }),
  );
});

/** Never to be changed: such texts wait in outboxes and on the bus while releases change. */
const published =
  '["prn_1","cli_1","req_1","2026-11-26T09:30:00.000Z",{"traceparent":"00-1"},[1,"auth_1",' +
  '"agt_1","mnd_1","prg_1","APPROVE",[],"Every check passed.","12.5","USD","CARD",6.25,0.62,' +
  '"AMBER",0.5,0.1,false,null,["REGISTERED","2026-11-01T00:00:00.000Z",true,false,"100.00",' +
  '"e59f",true,false,{"task":"82a7","mcc":"5411","place":"USA","reasoning":[25,"xiV3"]}],' +
  '{"riskScore":0.2,' +
  '"riskCondition":"CLEAN","velocityIndicator":false,"highestSeverity":"NONE"}]]';

test('an event that an earlier replica has packed is read', async (t) => {
  const event = unpackedEvent(JSON.parse(published), 'live');
  t.strictSame(event, {
    id: 'evt_1',
    type: 'authorization.recorded',
    environment: 'live',
    principalId: 'prn_1',
    clientId: 'cli_1',
    requestId: 'req_1',
    occurredAt: '2026-11-26T09:30:00.000Z',
    trace: { traceparent: '00-1' },
    data: {
      authorizationId: 'auth_1',
      agentId: 'agt_1',
      mandateId: 'mnd_1',
      programId: 'prg_1',
      decision: 'APPROVE',
      reasonCodes: [],
      reasonDetail: 'Every check passed.',
      amount: '12.5',
      currency: 'USD',
      rail: 'CARD',
      processingTimeMs: 6.25,
      kyaScore: 0.62,
      zone: 'AMBER',
      cognitiveLimitMultiplier: 0.5,
      intentAnomalyScore: 0.1,
      intentAnomalyTriggered: false,
      stepUpExpiresAt: null,
      learning: {
        trustLevel: 'REGISTERED',
        agentCreatedAt: '2026-11-01T00:00:00.000Z',
        principalVerified: true,
        keyRegistered: false,
        maxAmountPerTransaction: '100.00',
        merchant: 'e59f',
        viVerified: true,
        anomalySkipped: false,
        trace: { task: '82a7', mcc: '5411', place: 'USA', reasoning: [25, 'xiV3'] },
      },
      triage: {
        riskScore: 0.2,
        riskCondition: 'CLEAN',
        velocityIndicator: false,
        highestSeverity: 'NONE',
      },
    },
  });
  t.equal(packedEvent(event, packedData(event.data)), published, 'and is packed the same again');
});

test('a layout of a later release is refused, not guessed at', async (t) => {
  const later = JSON.parse(published.replace('[1,"auth_1"', '[2,"auth_1"'));
  t.throws(() => unpackedEvent(later, 'live'), /later release/);
  t.throws(() => unpackedEvent(['prn_1'] as unknown as PackedEvent, 'live'), /later release/);
});
