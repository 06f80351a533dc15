import { canonicalHash, canonicalJson } from '@countersign/kernel/canonical';
import { decisionService, type PaymentInput } from '@countersign/proto/decision';
import { test } from 'tap';
import { paymentFacts } from './facts-from-request.js';
import type { PaymentFacts } from './facts-shape.js';
import { canonicalFacts } from './facts-text.js';
import { policyHash } from './policy.js';
import { ruleSet } from './rules/index.js';
import { anomalyModel } from './scores/anomaly.js';
import { kyaModel } from './scores/kya.js';
import { riskModel } from './scores/risk.js';
import { authorizeRequest, newAgentIds } from './test/decision-service.js';
import { factsOf } from './test/facts.js';

const everything: PaymentInput = {
  agentDid: 'did:key:z6Mk',
  mcc: '5411',
  merchantName: 'Café "Zur Post"',
  merchantId: 'm-1',
  country: 'AUT',
  capability: 'PURCHASE',
  rail: 'CRYPTO',
  crypto: { chain: 'base', asset: 'USDC', counterparty: '0xabc', value: '1.5', fromAddress: '0x1' },
  idempotencyKey: 'key-0000001',
  clientReference: 'order-1',
  transactionId: 'txn_1',
  networkRrn: '1',
  networkStan: '2',
  authCode: '3',
  networkReference: '4',
  txHash: '0x5',
  chainId: '8453',
  runtimeEvidenceJson: '{"b":1,"a":2}',
  metadataJson: '{}',
  intentContext: {
    taskReference: 'task',
    intentType: 'PURCHASE',
    reasoningSummary: 'because\n\u2028',
    confidence: 0.1,
    alternativesConsidered: 3,
    interactionDepth: 1,
    sessionId: 's',
    recurrenceNumber: 2,
    originalAuthorizationId: 'auth_1',
  },
};

function payment(given: PaymentInput = {}): PaymentFacts {
  const request = authorizeRequest(newAgentIds(), given);
  const codec = decisionService.Authorize;
  return paymentFacts(codec.requestDeserialize(codec.requestSerialize(request)));
}

test('facts are spelled as RFC 8785 has it, the first time and from memory', async (t) => {
  const facts = { ...factsOf({}), payment: payment() };
  const nobody = { ...facts, agent: null, principal: null, program: null, mandates: [] };
  const full = { ...facts, openChallengesFull: true as const, payment: payment(everything) };
  for (const each of [facts, facts, nobody, full]) {
    t.equal(canonicalFacts(each), canonicalJson(each));
  }
});

test('the policy hash is over the canonical JSON of all of its parts', async (t) => {
  const { thresholds, mandates } = factsOf({});
  const [mandate = null] = mandates;
  const models = { kya: kyaModel, anomaly: anomalyModel, risk: riskModel };
  for (const each of [mandate, null]) {
    const mandateHash = each?.mandateHash ?? null;
    const expected = canonicalHash({ ruleSet, models, thresholds, mandateHash });
    t.equal(policyHash({ thresholds, mandate: each }), `sha256:${expected}`);
  }
});
