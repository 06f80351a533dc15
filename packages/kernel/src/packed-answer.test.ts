import fc from 'fast-check';
import { test } from 'tap';
import { type AnswerFields, answerText, markedCounters } from './answer.js';
import { answerMarkers, hasMarkerCharacter, withoutMarkers } from './answer-marker.js';
import { attestationHeader, issuerOf } from './attestation.js';
import { type ClaimedDecision, encodedClaims } from './decision-claims.js';
import { countedIn, packedAnswer } from './packed-answer.js';
import { signedAs } from './packed-attestation.js';
import { restoredAnswer } from './stored-answer.js';

/** Any text, and texts that look like a part of what is stored. */
const text = fc.oneof(
  fc.string({ unit: 'binary' }).map(withoutMarkers),
  fc.constantFrom('[{', '"jws":[1,"', '%1$s'),
);
/** Of a caller, from whom markers are removed only where they could be taken for some. */
const foreign = fc.oneof(text, fc.constant(answerMarkers.dailyAmountUsed));
const maybe = fc.option(text);
const score = fc.double({ min: 0, max: 1, noNaN: true });

const anyDecision = fc.record({
  baseUrl: text,
  subject: text,
  issuedAt: fc.integer({ min: 0, max: 4_102_444_800 }),
  lifetime: fc.integer({ min: 0, max: 100_000 }),
  environment: fc.constantFrom('live' as const, 'sandbox' as const),
  authorizationId: text,
  transactionId: text,
  correlationKey: text,
  decision: fc.constantFrom('APPROVE' as const, 'DECLINE' as const, 'STEP_UP' as const),
  reasonCodes: fc.array(text, { maxLength: 3 }),
  agentId: text,
  principalId: text,
  mandateId: maybe,
  mandateHash: maybe,
  rail: text,
  amount: text,
  currency: text,
  merchantId: fc.option(foreign),
  mcc: maybe,
  country: maybe,
  crypto: fc.option(
    fc.record({ chain: foreign, asset: foreign, counterparty: foreign, value: text }),
  ),
  kyaScore: score,
  trustLevel: text,
  riskScore: score,
  intentAnomalyScore: score,
  cognitiveLimitMultiplier: score,
  viVerified: fc.boolean(),
  viMode: maybe,
  viReference: maybe,
  reqHash: text,
  riskReasonCodes: fc.array(text, { maxLength: 3 }),
  conditionCode: text,
  velocityIndicator: fc.boolean(),
  highestSeverity: text,
  intentContextProvided: fc.boolean(),
  intentAnomalyTriggered: fc.boolean(),
  intentAnomalySkipped: fc.boolean(),
  sessionTerminateRecommended: fc.boolean(),
  processingTimeMs: fc.double({ min: 0, max: 10_000, noNaN: true }),
  isSigned: fc.boolean(),
  reasonDetail: text,
});
type Decided = typeof anyDecision extends fc.Arbitrary<infer T> ? T : never;

/** As the ledger fills it in. */
const counters = {
  dailyAmountUsed: '12.00',
  monthlyAmountUsed: '9007199254740993.00',
  dailyCountUsed: '1',
  monthlyCountUsed: '0',
};

function signedBy(decided: Decided) {
  const { baseUrl, environment, issuedAt, lifetime } = decided;
  const claimed: ClaimedDecision = {
    ...decided,
    issuer: issuerOf(baseUrl, environment),
    expiresAt: issuedAt + lifetime,
  };
  const input = `${attestationHeader('key-1')}.${encodedClaims(claimed)}`;
  return signedAs(claimed, { kid: 'key-1', baseUrl, input, signature: 'c2ln' });
}

/** The answer as it is sent, and what the ledger is given to store. */
function answered(decided: Decided) {
  const { reasonDetail } = decided;
  const signed = decided.isSigned ? signedBy(decided) : null;
  const fields: AnswerFields = { ...decided, attestation: signed?.attestation ?? null };
  const packed = (counted = counters) =>
    packedAnswer(fields, { reasonDetail, counters: counted }, signed?.packed ?? null);
  return { fields, packed, sent: answerText(fields, { reasonDetail, counters }) };
}

test('a packed answer is restored to the bytes that were sent', (t) => {
  fc.assert(
    fc.property(anyDecision, (decided) => {
      const { fields, packed, sent } = answered(decided);
      const { head, middle, tail } = packed();
      const columns = { ...decided, id: decided.authorizationId };
      t.equal(restoredAnswer(head + middle + tail, columns), sent);
      const looked = `[${JSON.stringify(columns)},${head}${middle}${tail}]`;
      t.equal(restoredAnswer(looked), sent, 'with its columns before it');
      t.equal(answerText(fields, countedIn(middle)), sent, 'by whoever has the rest');
    }),
    { numRuns: 500 },
  );
  t.end();
});

test('only the middle of a packed answer has characters of markers', (t) => {
  fc.assert(
    fc.property(anyDecision, (decided) => {
      const { head, middle, tail } = answered(decided).packed(markedCounters);
      t.notOk(hasMarkerCharacter(tail), 'which no caller can put there');
      t.notOk(hasMarkerCharacter(head));
      for (const marker of Object.values(markedCounters)) t.ok(middle.includes(marker));
    }),
    { numRuns: 200 },
  );
  t.end();
});

/** Written down once; whatever changes in the code, these belong together. */
const recorded = {
  columns: {
    id: 'auth_01m887pyr5fa3szv4s4gvcj4s8',
    transactionId: 'txn_01m887pyr5fa3szv4s4pzz29ba',
    correlationKey: 'order-1001',
    principalId: 'prn_01m887pynhe95bnxad20t0nagp',
    agentId: 'agt_01m887pynhe95bnxad2b4bn54c',
    mandateId: 'mnd_01m887pynhe95bnxad2d388apc',
    mandateHash: 'sha256:10ad',
    decision: 'DECLINE',
    reasonCodes: ['AMOUNT_EXCEEDS_PER_TXN'],
    currency: 'USD',
    rail: 'CRYPTO',
    mcc: '5942',
    country: null,
    merchantId: 'm-1',
    kyaScore: 0.6225,
    trustLevel: 'REGISTERED',
    riskScore: 0.1888,
    viVerified: true,
    processingTimeMs: 1.35,
  },
  stored:
    '[2,["AMOUNT_EXCEEDS_PER_TXN"],"CLEAN",false,"MEDIUM","12.00","40.00",1,3,"Too much.",true,' +
    '0.25,false,true,"immediate",0.5,false,["5_iMXuP8","c2ln","https://pay.example","sandbox",' +
    '"did:web:agent.example",1795572857,900,"60.00",["eip155:1","USDC","0xab","60"],"vi-1",' +
    '"-c2J"]]',
  sent:
    '{"authorization_id":"auth_01m887pyr5fa3szv4s4gvcj4s8",' +
    '"transaction_id":"txn_01m887pyr5fa3szv4s4pzz29ba","correlation_key":"order-1001",' +
    '"decision":"DECLINE","reason_codes":["AMOUNT_EXCEEDS_PER_TXN"],"reason_detail":"Too much.",' +
    '"agent_id":"agt_01m887pynhe95bnxad2b4bn54c","mandate_id":"mnd_01m887pynhe95bnxad2d388apc",' +
    '"kya_score":0.6225,"trust_level":"REGISTERED","risk_score":0.1888,"risk_assessment":{' +
    '"score":0.1888,"reason_codes":["AMOUNT_EXCEEDS_PER_TXN"],"condition_code":"CLEAN",' +
    '"velocity_indicator":false,"highest_severity":"MEDIUM"},"daily_amount_used":"12.00",' +
    '"monthly_amount_used":"40.00","daily_count_used":1,"monthly_count_used":3,' +
    '"intent_context_provided":true,"intent_anomaly_score":0.25,"intent_anomaly_triggered":false,' +
    '"intent_anomaly_skipped":true,"vi_verified":true,"vi_mode":"immediate",' +
    '"cognitive_limit_active":true,"cognitive_limit_multiplier":0.5,' +
    '"session_terminate_recommended":false,"attestation":{"format":"jws",' +
    '"typ":"authorization-decision+jwt","alg":"ES256","kid":"5_iMXuP8","jws":"JWS",' +
    '"jwks_uri":"https://pay.example/api/v1/.well-known/jwks.json",' +
    '"issued_at":"2026-11-25T02:14:17.000Z","expires_at":"2026-11-25T02:29:17.000Z"},' +
    '"processing_time_ms":1.35}',
  header: '{"alg":"ES256","typ":"authorization-decision+jwt","kid":"5_iMXuP8"}',
  claims:
    '{"iss":"https://pay.example/sandbox","sub":"did:web:agent.example",' +
    '"jti":"auth_01m887pyr5fa3szv4s4gvcj4s8","iat":1795572857,"exp":1795573757,"env":"sandbox",' +
    '"ver":1,"dec":{"authorization_id":"auth_01m887pyr5fa3szv4s4gvcj4s8",' +
    '"transaction_id":"txn_01m887pyr5fa3szv4s4pzz29ba","correlation_key":"order-1001",' +
    '"decision":"DECLINE","reason_codes":["AMOUNT_EXCEEDS_PER_TXN"],' +
    '"agent_id":"agt_01m887pynhe95bnxad2b4bn54c",' +
    '"principal_id":"prn_01m887pynhe95bnxad20t0nagp",' +
    '"mandate_id":"mnd_01m887pynhe95bnxad2d388apc","mandate_hash":"sha256:10ad",' +
    '"rail":"CRYPTO","amount":"60.00","currency":"USD","merchant_id":"m-1","mcc":"5942",' +
    '"crypto":{"chain":"eip155:1","asset":"USDC","counterparty":"0xab","value":"60"},' +
    '"kya_score":0.6225,"trust_level":"REGISTERED","risk_score":0.1888,' +
    '"intent_anomaly_score":0.25,"cognitive_limit_multiplier":0.5,"vi":{"verified":true,' +
    '"mode":"immediate","reference":"vi-1"}},"req_hash":"-c2J","req_hash_alg":"sha-256;jcs"}',
};

test('an answer stored in layout 2 stays readable', (t) => {
  const [header, claims] = [recorded.header, recorded.claims].map((part) =>
    Buffer.from(part).toString('base64url'),
  );
  const sent = recorded.sent.replace('"JWS"', `"${header}.${claims}.c2ln"`);
  t.equal(restoredAnswer(recorded.stored, recorded.columns), sent);
  t.end();
});

test('what cannot be restored is refused, not guessed', (t) => {
  const later = recorded.stored.replace('[2,', '[3,');
  t.throws(() => restoredAnswer(later, recorded.columns), {
    message: 'a stored answer has the unknown layout 3',
  });
  t.throws(() => restoredAnswer('[2,[],"CLEAN"]', recorded.columns), {
    message: 'a stored answer has 3 values, not 18',
  });
  t.throws(() => restoredAnswer(recorded.stored), {
    message: 'a stored answer came without its columns',
  });
  t.end();
});
