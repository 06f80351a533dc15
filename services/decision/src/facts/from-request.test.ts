import { type AuthorizeRequestInput, decisionService } from '@countersign/proto/decision';
import { test } from 'tap';
import { actingPrincipal, paymentFacts } from './from-request.js';

/** As after transport: with the defaults of the protobuf schema. */
function received(request: AuthorizeRequestInput) {
  const { requestSerialize, requestDeserialize } = decisionService.Authorize;
  return requestDeserialize(requestSerialize(request));
}

const crypto = { chain: 'base', asset: 'USDC', counterparty: '0x2', value: '1.5' };
const intentContext = {
  taskReference: 'task-1',
  intentType: 'PURCHASE',
  reasoningSummary: 'cheapest',
  confidence: 0.9,
  alternativesConsidered: 3,
  interactionDepth: 4,
  sessionId: 'session-5',
  recurrenceNumber: 6,
  originalAuthorizationId: 'auth_7',
};
const references = {
  networkRrn: 'rrn',
  networkStan: 'stan',
  authCode: 'code',
  networkReference: 'reference',
  txHash: '0x8',
  chainId: '8453',
};
const flat = {
  agentId: 'agt_1',
  agentDid: 'did:key:z1',
  amount: '10.00',
  currency: 'EUR',
  rail: 'CRYPTO',
  mcc: '5411',
  merchantName: 'Corner Shop',
  merchantId: 'm-1',
  country: 'AUT',
  capability: 'PURCHASE',
  idempotencyKey: 'key-00001',
  clientReference: 'order-1',
  runtimeEvidenceJson: '{"evidence":1}',
  metadataJson: '{"metadata":1}',
};
const sent = {
  authorizationId: 'auth_1',
  transactionId: 'txn_new',
  bodyHash: 'body',
  reqHash: 'req',
};

test('each fact of a payment is taken from the field of this name', (t) => {
  const payment = {
    ...flat,
    ...references,
    intentContext,
    crypto: { ...crypto, fromAddress: '0x1' },
  };
  t.strictSame(paymentFacts(received({ ...sent, payment })), {
    ...sent,
    ...flat,
    references,
    intentContext,
    crypto: { ...crypto, fromAddress: '0x1', operation: 'transfer' },
    transactionGiven: false,
  });
  t.end();
});

test('fields that were not sent are null', (t) => {
  const least = { amount: '1.00', currency: 'USD', rail: 'CARD' };
  const isNull = (names: object) =>
    Object.fromEntries(Object.keys(names).map((key) => [key, null]));
  t.strictSame(paymentFacts(received({ ...sent, payment: least })), {
    ...sent,
    ...isNull(flat),
    ...least,
    references: isNull(references),
    intentContext: { ...isNull(intentContext), taskReference: '' },
    crypto: null,
    transactionGiven: false,
  });
  t.end();
});

test('a transaction that the caller names is used, and told from a new one', (t) => {
  const payment = {
    ...flat,
    transactionId: 'txn_given',
    crypto: { ...crypto, operation: 'approve' },
  };
  const facts = paymentFacts(received({ ...sent, payment }));
  t.match(facts, { transactionId: 'txn_given', transactionGiven: true });
  t.match(facts.crypto, { operation: 'approve', fromAddress: null });
  t.end();
});

test('a claimed Principal acts, and is told from one that is known to be the Client’s', (t) => {
  const acting = (request: AuthorizeRequestInput) => actingPrincipal(received(request));
  t.strictSame(acting({ principalId: 'prn_1' }), { principalId: 'prn_1', claimed: false });
  t.strictSame(acting({ claimedPrincipalId: 'prn_2' }), { principalId: 'prn_2', claimed: true });
  t.strictSame(acting({ principalId: 'prn_1', claimedPrincipalId: 'prn_2' }), {
    principalId: 'prn_1',
    claimed: false,
  });
  t.strictSame(acting({}), { principalId: null, claimed: false });
  t.end();
});
