import { newChainKeys } from '@countersign/runtime/testing/chain-terms';
import { autonomousChain, immediateChain } from '@countersign/runtime/testing/intent-chain';
import fc from 'fast-check';
import { test } from 'tap';
import { verified } from '../test/intent-request.js';
import { readIssuer } from './read-issuer.js';
import type { IntentChain } from './shape.js';

const now = Date.UTC(2026, 10, 23, 12);
const keys = newChainKeys();
const numRuns = Number(process.env.FC_RUNS ?? 200);

const chains = [
  immediateChain({ now, keys }),
  autonomousChain({ now, keys }),
  autonomousChain({ now, keys, withCheckout: true }),
];

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~= ';

test('no chain verifies with one character changed, removed or added', (t) => {
  const place = fc.record({
    at: fc.nat(),
    name: fc.nat(),
    character: fc.constantFrom(...alphabet),
    how: fc.constantFrom('change', 'remove', 'insert'),
  });
  for (const built of chains) {
    t.ok(verified(built).verified);
    fc.assert(
      fc.property(place, ({ at, name, character, how }) => {
        const names = Object.keys(built.chain) as (keyof IntentChain)[];
        const part = names[name % names.length] ?? 'l1';
        const text = built.chain[part] ?? '';
        const index = at % text.length;
        const added = how === 'remove' ? '' : character;
        const spoilt =
          text.slice(0, index) + added + text.slice(index + (how === 'insert' ? 0 : 1));
        fc.pre(spoilt !== text);
        const verdict = verified({ ...built, chain: { ...built.chain, [part]: spoilt } });
        return !verdict.verified && verdict.codes.length > 0;
      }),
      { numRuns },
    );
  }
  t.end();
});

test('no credential of a chain can take the place of another', (t) => {
  for (const built of chains) {
    const texts = Object.values(built.chain);
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...texts), { minLength: 5, maxLength: 5 }), (picked) => {
        const [l1 = '', l2 = '', l3Payment, l3Checkout, l2Checkout] = picked;
        const verdict = verified({
          ...built,
          chain: { l1, l2, l3Payment, l3Checkout, l2Checkout },
        });
        const same = JSON.stringify({ l1, l2, l3Payment, l3Checkout, l2Checkout });
        return !verdict.verified || same === JSON.stringify(chains[2]?.chain);
      }),
      { numRuns },
    );
  }
  t.end();
});

test('any input gets a verdict', (t) => {
  const base64 = fc
    .string({ unit: 'binary' })
    .map((text) => Buffer.from(text).toString('base64url'));
  const json = fc.json().map((text) => Buffer.from(text).toString('base64url'));
  const token = fc
    .tuple(fc.oneof(base64, json), fc.oneof(base64, json), fc.array(fc.oneof(base64, json)))
    .map(([head, body, rest]) => `${head}.${body}.${'A'.repeat(86)}~${rest.join('~')}~`);
  const text = fc.oneof(fc.string({ unit: 'binary' }), token);
  const chain = fc.record(
    { l1: text, l2: text, l3Payment: text, l3Checkout: text, l2Checkout: text },
    { requiredKeys: ['l1', 'l2'] },
  );
  const terms = chains[0]?.terms ?? t.fail();
  if (typeof terms === 'boolean') return t.end();
  fc.assert(
    fc.property(chain, (sent) => {
      readIssuer(sent);
      const verdict = verified({ terms, chain: sent });
      return !verdict.verified && verdict.codes[0] === 'VI_CHAIN_MALFORMED';
    }),
    { numRuns },
  );
  return t.end();
});

/** Validly signed, with arbitrary claims: nothing may rely on a signed value being well-formed. */
test('any signed input gets a verdict', (t) => {
  const members = fc.dictionary(
    fc.constantFrom(
      ...['iss', 'sub', 'exp', 'iat', 'vct', 'cnf', 'nonce', 'aud', 'sd_hash', '_sd', 'card_id'],
      ...['delegate_payload', 'constraints', 'payee', 'payment_amount', 'payment_instrument'],
      ...['transaction_id', 'checkout_jwt', 'checkout_hash', 'line_items', 'typ', 'kid', 'alg'],
    ),
    fc.jsonValue({ maxDepth: 4 }),
    { minKeys: 1, maxKeys: 3 },
  );
  const edit = fc.record({ header: members, payload: members }, { requiredKeys: [] });
  const edits = fc.record(
    {
      ...{ l1: edit, l2: edit, l3Payment: edit, l3Checkout: edit },
      ...{ paymentMandate: members, checkoutMandate: members },
      ...{ finalPayment: members, finalCheckout: members },
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(edits, fc.array(fc.dictionary(fc.string(), fc.jsonValue())), (edited, extra) => {
      const given = { now, keys, edits: edited, constraints: extra, withCheckout: true };
      for (const make of [immediateChain, autonomousChain]) {
        const { codes, details, verified: good } = verified(make(given));
        if (good !== (codes.length === 0) || details.includes('the chain cannot be read'))
          return false;
      }
      return true;
    }),
    { numRuns },
  );
  t.end();
});
