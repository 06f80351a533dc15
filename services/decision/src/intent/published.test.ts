import { test } from 'tap';
import { thumbprint } from '../attestation/key-pair.js';
import {
  agentJwk,
  checkoutJwt,
  checkoutView,
  checkoutViewHash,
  immediateL2,
  issuerJwk,
  l1,
  l3Checkout,
  l3Payment,
  paymentView,
  paymentViewHash,
  publishedHashes,
  signedAt,
  vct,
} from '../test/published-chain.js';
import { digestOf } from './base64url.js';
import type { IntentChain, IntentSubject, IntentSurroundings } from './shape.js';
import { verifyIntent } from './verify-intent.js';

const subject: IntentSubject = {
  amount: '279.99',
  currency: 'USD',
  merchantId: 'merchant-uuid-1',
  merchantName: null,
  mcc: null,
  country: null,
  crypto: null,
};

const surroundings: IntentSurroundings = {
  now: signedAt,
  issuer: { state: 'found', jwk: issuerJwk, vct: [vct] },
  agentKeyThumbprint: thumbprint(agentJwk),
  agentDid: 'did:example:agent',
  audiences: ['https://network.mastercard.com', 'https://agent.example.com'],
};

const verify = (chain: Omit<IntentChain, 'l1'>) =>
  verifyIntent({ l1, ...chain }, subject, surroundings);

test('the published hashes are reproduced', (t) => {
  t.equal(digestOf(l1), publishedHashes.l1Hash);
  t.equal(digestOf(checkoutJwt), publishedHashes.checkoutHash);
  t.equal(digestOf(paymentView), paymentViewHash);
  t.equal(digestOf(checkoutView), checkoutViewHash);
  t.end();
});

test('the published chains verify in both modes', (t) => {
  t.match(verify({ l2: immediateL2 }), { verified: true, mode: 'IMMEDIATE', codes: [] });
  const verdict = verify({ l2: paymentView, l3Payment });
  t.match(verdict, { verified: true, mode: 'AUTONOMOUS', codes: [] });
  t.match(verdict.claim, { nonce: 'l3a-nonce-0001', amountMinor: 27_999, maxOccurrences: null });
  t.match(verdict.evidence, {
    l1Hash: publishedHashes.l1Hash,
    l2Hash: paymentViewHash,
    issuer: 'https://issuer.mastercard.com',
    subject: 'user-subject-12345',
    transactionRef: publishedHashes.checkoutHash,
    reference: digestOf(l3Payment),
  });
  t.end();
});

test('the published checkout is bound, but has neither a merchant nor line items', (t) => {
  const chain = { l2: paymentView, l3Payment, l2Checkout: checkoutView, l3Checkout };
  t.same(verify(chain).codes, ['VI_CONSTRAINT_VIOLATED', 'VI_DISCLOSURE_INCOMPLETE']);
  t.end();
});
