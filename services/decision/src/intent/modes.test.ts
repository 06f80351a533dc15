import { autonomousChain, immediateChain } from '@countersign/runtime/testing/intent-chain';
import { test } from 'tap';
import { verified } from '../test/intent-request.js';
import { readIssuer } from './read-issuer.js';

test('a payment that the user signed verifies', (t) => {
  const built = immediateChain();
  const verdict = verified(built);
  t.match(verdict, { verified: true, mode: 'IMMEDIATE', codes: [], details: [] });
  t.match(verdict.claim, {
    signerThumbprint: built.terms.keys.user.thumbprint,
    issuer: 'https://issuer.example',
    subject: 'user-1',
    userKeyThumbprint: built.terms.keys.user.thumbprint,
    amountMinor: 1_000,
    currency: 'USD',
    maxOccurrences: null,
    budgetMinor: null,
  });
  t.same(readIssuer(built.chain), { iss: 'https://issuer.example', kid: 'iss-1' });
  t.end();
});

test('what counts against a mandate is the amount in the currency of the payment', (t) => {
  const [currency, amountMinor] = ['JPY', 2_000];
  const range = { type: 'mandate.payment.amount_range', currency, max: 2_000 };
  for (const make of [immediateChain, autonomousChain]) {
    const built = make({ currency, amountMinor, constraints: [range] });
    const verdict = verified(built, { subject: { amount: '2000', currency } });
    t.match(verdict, { verified: true, claim: { amountMinor, currency } });
  }
  t.end();
});

test("a payment that the agent signed within the user's limits verifies", (t) => {
  for (const withCheckout of [false, true]) {
    const built = autonomousChain({ withCheckout });
    const verdict = verified(built);
    t.match(verdict, { verified: true, mode: 'AUTONOMOUS', codes: [], details: [] });
    t.equal(verdict.claim?.signerThumbprint, built.terms.keys.agent.thumbprint);
  }
  t.end();
});
