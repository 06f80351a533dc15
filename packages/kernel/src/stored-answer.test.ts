import { test } from 'tap';
import { failSafeAnswer } from './fail-safe.js';
import { restoredAnswer } from './stored-answer.js';

const begin =
  '{"authorization_id":"auth_01m887pyr5fa3szv4s4gvcj4s8",' +
  '"transaction_id":"txn_01m887pyr5fa3szv4s4pzz29ba","correlation_key":"order-1001",' +
  '"decision":"DECLINE","reason_codes":["AMOUNT_EXCEEDS_PER_TXN"],"reason_detail":"Too much.",' +
  '"agent_id":"agt_01m887pynhe95bnxad2b4bn54c","mandate_id":"mnd_01m887pynhe95bnxad2d388apc",' +
  '"kya_score":0.6225,"trust_level":"REGISTERED","risk_score":0.1888,"intent_anomaly_score":0,' +
  '"vi_verified":false,"vi_mode":null,"cognitive_limit_multiplier":0.5,"attestation":{' +
  '"format":"jws","typ":"authorization-decision+jwt","alg":"ES256","kid":"5_iMXuP8","jws":';
const end =
  ',"jwks_uri":"https://pay.example/api/v1/.well-known/jwks.json",' +
  '"issued_at":"2026-11-25T02:14:17.000Z","expires_at":"2026-11-25T02:29:17.000Z"}}';

const head = '{"alg":"ES256","typ":"authorization-decision+jwt","kid":"5_iMXuP8"}';
const claims =
  '{"iss":"https://pay.example","sub":"did:web:agent.example",' +
  '"jti":"auth_01m887pyr5fa3szv4s4gvcj4s8","iat":1795572857,"exp":1795573757,"env":"live",' +
  '"ver":1,"dec":{"authorization_id":"auth_01m887pyr5fa3szv4s4gvcj4s8",' +
  '"transaction_id":"txn_01m887pyr5fa3szv4s4pzz29ba","correlation_key":"order-1001",' +
  '"decision":"DECLINE","reason_codes":["AMOUNT_EXCEEDS_PER_TXN"],' +
  '"agent_id":"agt_01m887pynhe95bnxad2b4bn54c",' +
  '"principal_id":"prn_01m887pynhe95bnxad20t0nagp",' +
  '"mandate_id":"mnd_01m887pynhe95bnxad2d388apc","mandate_hash":"sha256:10ad",' +
  '"rail":"CARD","amount":"60.00","currency":"USD","merchant_id":"m-1","mcc":"5942",' +
  '"country":"USA","kya_score":0.6225,"trust_level":"REGISTERED","risk_score":0.1888,' +
  '"intent_anomaly_score":0,"cognitive_limit_multiplier":0.5,"vi":{"verified":false,' +
  '"mode":null,"reference":null}},"req_hash":"-c2JLyuuhKGH7NbO",' +
  '"req_hash_alg":"sha-256;jcs"}';

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url');
}

/** Written down once; whatever changes in the code, these two belong together. */
const recorded = {
  stored:
    `${begin}[1,"c2ln","https://pay.example","did:web:agent.example","live",` +
    '"prn_01m887pynhe95bnxad20t0nagp","sha256:10ad","CARD","60.00","USD","m-1","5942","USA",' +
    `null,null,"-c2JLyuuhKGH7NbO"]${end}`,
  sent: `${begin}"${base64url(head)}.${base64url(claims)}.c2ln"${end}`,
};

test('an answer that holds no list is returned as it is', (t) => {
  const failSafe = failSafeAnswer({
    authorizationId: 'auth_1',
    transactionId: 'txn_1',
    correlationKey: '"jws":[1,"',
    agentId: null,
    currency: 'USD',
    processingTimeMs: 3,
  });
  t.equal(restoredAnswer(failSafe), failSafe);
  t.equal(restoredAnswer(recorded.sent), recorded.sent, 'as earlier releases stored it');
  t.end();
});

test('a layout of a later release is refused, not misread', (t) => {
  t.throws(() => restoredAnswer(recorded.stored.replace('"jws":[1,', '"jws":[2,')), {
    message: 'a stored answer has the unknown layout 2',
  });
  t.end();
});

test('an answer stored in layout 1 stays readable', (t) => {
  t.equal(restoredAnswer(recorded.stored), recorded.sent);
  t.end();
});
