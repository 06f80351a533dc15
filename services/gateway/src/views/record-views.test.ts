import { webhookEventCatalog } from '@countersign/kernel/webhook-event';
import type { SigningKey } from '@countersign/proto/decision';
import type { AuthorizationEntry, Outcome } from '@countersign/proto/ledger';
import type { Delivery, Webhook } from '@countersign/proto/notifier';
import type { SettlementRecord } from '@countersign/proto/settlement';
import { test } from 'tap';
import { exact } from '../test/exact.js';
import { logEntryView, pendingStepUpView } from './authorization.js';
import { jwksView, publicKeysView } from './keys.js';
import { moneyNumber, moneyText } from './money.js';
import { outcomeView } from './outcome.js';
import { outcomeBatchView } from './outcome-batch.js';
import { reversalView } from './reversal.js';
import { settlementView } from './settlement.js';
import { deliveryView, eventCatalogView, webhookView } from './webhook.js';

const at = '2026-11-21T09:30:00.000Z';

const entry = {
  id: 'auth_1',
  clientId: 'cli_1',
  principalId: 'prn_1',
  transactionId: 'txn_1',
  correlationKey: 'txn_1',
  decision: 'DECLINE',
  reasonCodes: ['AGENT_NOT_FOUND'],
  amount: '10.5',
  currency: 'USD',
  rail: 'CARD',
  kyaScore: 0,
  trustLevel: 'REGISTERED',
  riskScore: 0.5,
  viVerified: false,
  processingTimeMs: 3.5,
  decisionHistory: [
    { decision: 'STEP_UP', at, by: 'engine', reasonCodes: ['AMOUNT_STEP_UP'] },
    { decision: 'DECLINE', at, by: 'prn_1', reasonCodes: ['STEP_UP_DENIED'] },
  ],
  reversedAmount: '0',
  createdAt: at,
} as unknown as AuthorizationEntry;

test('a log entry: nothing is absent, money is text alone and a number in lists', async (t) => {
  const text = (amount: string, reversed: string) =>
    [
      `{"id":"auth_1","agent_id":null,"mandate_id":null,"amount":${amount},"currency":"USD",`,
      '"mcc":null,"merchant_id":null,"country":null,"decision":"DECLINE",',
      '"reason_codes":["AGENT_NOT_FOUND"],"kya_score":0,"trust_level":"REGISTERED",',
      `"processing_time_ms":3.5,"created_at":"${at}","transaction_id":"txn_1",`,
      '"correlation_key":"txn_1","rail":"CARD","merchant_name":null,"client_reference":null,',
      '"network_rrn":null,"network_stan":null,"auth_code":null,"network_reference":null,',
      '"tx_hash":null,"chain_id":null,',
      '"risk_score":0.5,"vi_verified":false,"decision_history":[',
      `{"decision":"STEP_UP","at":"${at}","by":"engine","reason_codes":["AMOUNT_STEP_UP"]},`,
      `{"decision":"DECLINE","at":"${at}","by":"prn_1","reason_codes":["STEP_UP_DENIED"]}],`,
      `"step_up":null,"reversed_amount":${reversed},"mandate_hash":null,"attestation":null}`,
    ].join('');
  exact(t, logEntryView(entry, moneyText), text('"10.50"', '"0.00"'));
  exact(t, logEntryView(entry, moneyNumber), text('10.5', '0'));
  const known = { networkRrn: 'rrn-1', txHash: '0xaa', chainId: '8453' };
  t.match(logEntryView({ ...entry, ...known }, moneyText), {
    network_rrn: 'rrn-1',
    tx_hash: '0xaa',
    chain_id: 8453,
  });
  const open = { status: 'PENDING', expiresAt: at };
  exact(
    t,
    logEntryView({ ...entry, stepUp: open }, moneyText).step_up,
    `{"status":"PENDING","expires_at":"${at}","resolved_at":null,"resolved_by":null,` +
      '"reason":null}',
  );
  exact(
    t,
    pendingStepUpView({ ...entry, agentId: 'agt_1', merchantName: 'Shop', stepUp: open }),
    '{"authorization_id":"auth_1","agent_id":"agt_1","amount":10.5,"currency":"USD",',
    '"merchant_name":"Shop","reason_codes":["AGENT_NOT_FOUND"],',
    `"expires_at":"${at}","created_at":"${at}"}`,
  );
});

const outcome: Outcome = {
  id: 'out_1',
  authorizationId: 'auth_1',
  principalId: 'prn_1',
  outcomeType: 'SETTLED',
  reportedAt: at,
  reportedBy: 'ISSUER',
  settledAmount: '10.5',
  settledCurrency: 'USD',
  settledAt: at,
  createdAt: at,
};

test('an outcome alone, in a list, and the rows of a batch', async (t) => {
  exact(
    t,
    outcomeView(outcome, moneyText),
    '{"id":"out_1","authorization_id":"auth_1","tenant_id":"prn_1","outcome_type":"SETTLED",',
    `"reported_at":"${at}","reported_by":"ISSUER","evidence":{},"notes":null,`,
    '"external_reference_id":null,"settled_amount":"10.50","settled_currency":"USD",',
    `"settled_at":"${at}","created_at":"${at}"}`,
  );
  t.match(outcomeView(outcome, moneyNumber), { settled_amount: 10.5 });
  for (const [settledAmount, settledCurrency, told] of [
    ['1.234567', 'USD', '1.234567'],
    ['1.999999999999999999', 'USD', '1.999999999999999999'],
    ['999999999999999.000001', 'USD', '999999999999999.000001'],
    ['1', 'USD', '1.00'],
    ['0.5', 'JPY', '0.5'],
    ['1500', 'JPY', '1500'],
    ['1.2', 'KWD', '1.200'],
  ] as const) {
    const settled = outcomeView({ ...outcome, settledAmount, settledCurrency }, moneyText);
    t.equal(settled.settled_amount, told, 'never rounded');
  }
  t.has(outcomeView({ ...outcome, settledCurrency: undefined }, moneyText), {
    settled_amount: '10.5',
    settled_currency: null,
  });
  const inPayments = outcomeView({ ...outcome, settledCurrency: undefined }, moneyText, 'USD');
  t.has(inPayments, { settled_amount: '10.50', settled_currency: null });
  t.has(outcomeView(outcome, moneyText, 'KWD'), { settled_amount: '10.50' }, 'its own counts');
  exact(
    t,
    outcomeBatchView([
      { answer: { status: 'created', outcome }, namedId: undefined },
      { answer: { status: 'invalid', error: 'no type' }, namedId: undefined },
      { answer: undefined, namedId: undefined },
      { answer: { status: 'not_found', error: 'no such' }, namedId: 'auth_2' },
    ]),
    '{"total":4,"created":1,"updated":0,"duplicate":0,"not_found":1,"invalid":2,"results":[',
    '{"index":0,"status":"created","id":"out_1","authorization_id":"auth_1","error":null},',
    '{"index":1,"status":"invalid","id":null,"authorization_id":null,"error":"no type"},',
    '{"index":2,"status":"invalid","id":null,"authorization_id":null,',
    '"error":"The outcome was not recorded."},',
    '{"index":3,"status":"not_found","id":null,"authorization_id":"auth_2","error":"no such"}]}',
  );
});

test('reversals and settlements', async (t) => {
  const reversal = {
    authorizationId: 'auth_1',
    reversed: true,
    releasedAmount: '5.50',
    partial: true,
    alreadyReversed: false,
    decision: 'APPROVE',
  };
  exact(
    t,
    reversalView(reversal),
    '{"authorization_id":"auth_1","reversed":true,"released_amount":5.5,"partial":true,',
    '"already_reversed":false,',
    '"message":"This amount is released; the transaction still counts."}',
  );
  const nothing = { ...reversal, reversed: false, partial: false, releasedAmount: '' };
  t.match(reversalView({ ...nothing, decision: 'DECLINE' }), {
    released_amount: 0,
    message: 'Nothing was reserved: the decision is DECLINE.',
  });
  // Said also of the call that releases the count after parts have released the amount.
  t.match(reversalView({ ...nothing, reversed: true, alreadyReversed: true }), {
    message: 'All of its amount was released before; no amount is released now.',
  });
  const settlement: SettlementRecord = {
    id: 'stl_1',
    authorizationId: 'auth_1',
    chain: 'base',
    txHash: '0x1',
    status: 'PENDING',
    confirmations: 2,
    blockNumber: '12345678',
    createdAt: at,
    requiredConfirmations: 12,
  };
  exact(
    t,
    settlementView(settlement),
    '{"id":"stl_1","authorization_id":"auth_1","chain":"base","tx_hash":"0x1",',
    '"status":"PENDING","confirmations":2,"block_number":12345678,"settled_at":null,',
    `"created_at":"${at}","required_confirmations":12,"failure_reason":null}`,
  );
});

test('webhooks, their deliveries, and the catalog of events', async (t) => {
  const webhook: Webhook = {
    id: 'wh_1',
    url: 'https://example.com/',
    eventTypes: ['*'],
    active: true,
    consecutiveFailures: 0,
    createdAt: at,
  };
  exact(
    t,
    webhookView(webhook),
    '{"id":"wh_1","url":"https://example.com/","event_types":["*"],"active":true,',
    '"description":null,"consecutive_failures":0,"last_delivery_at":null,',
    `"last_status_code":null,"created_at":"${at}"}`,
  );
  const delivery: Delivery = {
    id: 'whd_1',
    eventId: 'evt_1',
    event: 'gate.fired',
    status: 'FAILED',
    attempts: [{ at, durationMs: 12, error: 'timeout' }],
    createdAt: at,
  };
  exact(
    t,
    deliveryView(delivery),
    '{"id":"whd_1","event_id":"evt_1","event":"gate.fired","status":"FAILED","attempts":[',
    `{"at":"${at}","status_code":null,"error":"timeout","duration_ms":12}],"created_at":"${at}"}`,
  );
  const catalog = eventCatalogView(webhookEventCatalog);
  t.equal(catalog.wildcard, '*');
  t.same(Object.keys(catalog.event_types[0] ?? {}), ['type', 'description', 'sample_payload']);
});

test('published keys carry no private half, and revoked ones leave the JWKS', async (t) => {
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    x: 'igrFmi0whuihKnj9R3Om1SoMph72wUGeFaBbzG2vzns',
    y: 'efsX5b10x8yjyrj4ny3pGfLcY7Xby1KzgqOdqnsrJIM',
    d: 'secret',
  };
  const key: SigningKey = {
    kid: 'one',
    status: 'ACTIVE',
    jwkJson: JSON.stringify(jwk),
    notBefore: at,
  };
  const revokedAt = '2026-11-22T09:30:00.000Z';
  const revoked = { ...key, kid: 'two', status: 'RETIRED', retiredAt: at, revokedAt };
  const signing = [key, revoked].map((each) => ({ environment: 'sandbox' as const, key: each }));
  const published = `{"kty":"EC","crv":"P-256","x":"${jwk.x}","y":"${jwk.y}",`;
  exact(
    t,
    jwksView({ signing, token: [] }),
    `{"keys":[${published}"kid":"one","use":"sig","alg":"ES256"}]}`,
  );
  const { issuer, keys } = publicKeysView({ signing }, 'https://api.test');
  t.equal(issuer, 'https://api.test');
  t.notOk(JSON.stringify(keys).includes('secret'));
  t.match(keys[0], { status: 'ACTIVE', retired_at: null, revoked_at: null });
  t.match(keys[1], { kid: 'two', env: 'sandbox', status: 'RETIRED' });
  t.match(keys[1], { retired_at: at, revoked_at: revokedAt });
  t.match(keys[0]?.pem, /^-----BEGIN PUBLIC KEY-----/);
});
