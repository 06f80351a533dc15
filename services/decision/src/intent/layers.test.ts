import type { ChainTerms } from '@countersign/runtime/testing/chain-terms';
import { newChainKeys } from '@countersign/runtime/testing/chain-terms';
import { autonomousChain, immediateChain } from '@countersign/runtime/testing/intent-chain';
import { newChainKey } from '@countersign/runtime/testing/sd-jwt';
import { test } from 'tap';
import { type Asked, verified } from '../test/intent-request.js';

const now = Date.UTC(2026, 10, 23, 12);
const seconds = now / 1_000;
const keys = newChainKeys();
const stranger = newChainKey('stranger');
const none = undefined;

type Row = [what: string, given: Partial<ChainTerms>, codes: string[], asked?: Asked];

function rows(make: typeof autonomousChain, table: Row[]): void {
  for (const [what, given, codes, asked] of table) {
    test(`${make.name}: ${what}: ${codes.join(', ') || 'verified'}`, (t) => {
      const verdict = verified(make({ now, keys, ...given }), asked);
      t.same(verdict.codes, codes);
      t.equal(verdict.verified, codes.length === 0);
      t.equal(verdict.details.length, codes.length);
      t.end();
    });
  }
}

const both: Row[] = [
  ['l1 of another issuer key', { edits: { l1: { key: stranger } } }, ['VI_SIGNATURE_INVALID']],
  ['l1 of alg none', { edits: { l1: { header: { alg: 'none' } } } }, ['VI_SIGNATURE_INVALID']],
  ['l2 of another user key', { edits: { l2: { key: stranger } } }, ['VI_SIGNATURE_INVALID']],
  ['l2 of alg HS256', { edits: { l2: { header: { alg: 'HS256' } } } }, ['VI_SIGNATURE_INVALID']],
  [
    'a user key on another curve',
    { edits: { l1: { payload: { cnf: { jwk: { kty: 'EC', crv: 'P-384', x: 'AA', y: 'AA' } } } } } },
    ['VI_SIGNATURE_INVALID'],
  ],
  [
    'a user key that is no point',
    { edits: { l1: { payload: { cnf: { jwk: { ...keys.user.jwk, y: keys.agent.jwk.y } } } } } },
    ['VI_SIGNATURE_INVALID'],
  ],
  [
    'a user key with its secret',
    { edits: { l1: { payload: { cnf: { jwk: { ...keys.user.jwk, d: 'AA' } } } } } },
    ['VI_SIGNATURE_INVALID'],
  ],
  ['no user key', { edits: { l1: { payload: { cnf: none } } } }, ['VI_BINDING_INVALID']],
  ['l1 typ', { edits: { l1: { header: { typ: 'vc+sd-jwt' } } } }, ['VI_BINDING_INVALID']],
  ['l1 with sd_hash', { edits: { l1: { payload: { sd_hash: 'x' } } } }, ['VI_BINDING_INVALID']],
  ['l1 without sub', { edits: { l1: { payload: { sub: none } } } }, ['VI_CHAIN_MALFORMED']],
  ['l1 without exp', { edits: { l1: { payload: { exp: none } } } }, ['VI_CHAIN_MALFORMED']],
  [
    'l1 of two years',
    { edits: { l1: { payload: { exp: seconds + 700 * 86_400 } } } },
    ['VI_CREDENTIAL_EXPIRED'],
  ],
  ['l1 expired', { edits: { l1: { payload: { exp: seconds - 61 } } } }, ['VI_CREDENTIAL_EXPIRED']],
  ['l1 expired within the skew', { edits: { l1: { payload: { exp: seconds - 60 } } } }, []],
  [
    'l1 from the future',
    { edits: { l1: { payload: { iat: seconds + 61 } } } },
    ['VI_CREDENTIAL_NOT_YET_VALID'],
  ],
  ['l1 within the skew', { edits: { l1: { payload: { iat: seconds + 60 } } } }, []],
  [
    'l1 not before tomorrow',
    { edits: { l1: { payload: { nbf: seconds + 86_400 } } } },
    ['VI_CREDENTIAL_NOT_YET_VALID'],
  ],
  ['l1 with nbf as text', { edits: { l1: { payload: { nbf: '1' } } } }, ['VI_CHAIN_MALFORMED']],
  [
    'l1 from the future, though it says it is valid',
    { edits: { l1: { payload: { iat: seconds + 61, nbf: seconds } } } },
    ['VI_CREDENTIAL_NOT_YET_VALID'],
  ],
  [
    'l2 expired',
    { edits: { l2: { payload: { exp: seconds - 61, iat: seconds - 99 } } } },
    ['VI_CREDENTIAL_EXPIRED'],
  ],
  [
    'l2 from the future',
    { edits: { l2: { payload: { iat: seconds + 61 } } } },
    ['VI_CREDENTIAL_NOT_YET_VALID'],
  ],
  [
    'l2 of another l1',
    { edits: { l2: { payload: { sd_hash: 'A'.repeat(43) } } } },
    ['VI_BINDING_INVALID'],
  ],
  ['l2 without nonce', { edits: { l2: { payload: { nonce: none } } } }, ['VI_CHAIN_MALFORMED']],
  ['l2 for others', { l2Audience: 'https://countersign.example.org' }, ['VI_AUDIENCE_MISMATCH']],
  [
    'l2 for a list of audiences',
    { edits: { l2: { payload: { aud: ['https://countersign.example'] } } } },
    ['VI_AUDIENCE_MISMATCH'],
  ],
  ['l2 for the agent by its DID', { l2Audience: 'did:example:agent' }, []],
  [
    'l2 of no mandates',
    { edits: { l2: { payload: { delegate_payload: [] } } } },
    ['VI_CHAIN_MALFORMED'],
  ],
  [
    'l2 with a mandate written out',
    { edits: { l2: { payload: { delegate_payload: [{ vct: 'mandate.payment.1' }] } } } },
    ['VI_CHAIN_MALFORMED'],
  ],
  [
    'an issuer nobody trusts',
    {},
    ['VI_ISSUER_UNTRUSTED'],
    {
      surroundings: { issuer: { state: 'untrusted' } },
    },
  ],
  [
    'an issuer out of reach',
    {},
    ['VI_ISSUER_UNAVAILABLE'],
    {
      surroundings: { issuer: { state: 'unavailable' } },
    },
  ],
  [
    'a vct the issuer is not trusted for',
    { edits: { l1: { payload: { vct: 'https://other.example' } } } },
    ['VI_ISSUER_UNTRUSTED'],
  ],
  [
    'another card than that of l1',
    { edits: { l1: { payload: { card_id: 'card-2' } } } },
    ['VI_BINDING_INVALID'],
  ],
  ['the card of l1', { edits: { l1: { payload: { card_id: 'card-1' } } } }, []],
];

rows(immediateChain, [
  ...both,
  [
    'l2 of an hour',
    { edits: { l2: { payload: { exp: seconds + 3_600 } } } },
    ['VI_CREDENTIAL_EXPIRED'],
  ],
  [
    'typ of the other mode',
    { edits: { l2: { header: { typ: 'kb-sd-jwt+kb' } } } },
    ['VI_BINDING_INVALID'],
  ],
  [
    'a final mandate with cnf',
    { edits: { paymentMandate: { cnf: { jwk: keys.agent.jwk } } } },
    ['VI_BINDING_INVALID'],
  ],
  [
    'a final mandate with constraints',
    { edits: { checkoutMandate: { constraints: [] } } },
    ['VI_BINDING_INVALID'],
  ],
  [
    'l2 with a key to delegate to',
    { edits: { l2: { payload: { cnf: { jwk: keys.agent.jwk } } } } },
    ['VI_BINDING_INVALID'],
  ],
  [
    'a payment that names no instrument',
    { edits: { paymentMandate: { payment_instrument: { type: 'card' } } } },
    ['VI_CHAIN_MALFORMED'],
  ],
  [
    'another checkout than paid for',
    { edits: { checkoutMandate: { checkout_jwt: 'a.b.c' } } },
    ['VI_BINDING_INVALID'],
  ],
  [
    'a payment of another checkout',
    { edits: { paymentMandate: { transaction_id: 'A'.repeat(43) } } },
    ['VI_BINDING_INVALID'],
  ],
  ['no checkout', { edits: { checkoutMandate: { vct: 'other' } } }, ['VI_DISCLOSURE_INCOMPLETE']],
  ['no payment', { edits: { paymentMandate: { vct: 'other' } } }, ['VI_DISCLOSURE_INCOMPLETE']],
  [
    'a second payment',
    { edits: { moreMandates: [{ vct: 'mandate.payment.1' }] } },
    ['VI_BINDING_INVALID'],
  ],
  [
    'open beside final',
    { edits: { moreMandates: [{ vct: 'mandate.payment.open.1' }] } },
    ['VI_BINDING_INVALID'],
  ],
]);

rows(autonomousChain, [
  ...both,
  [
    'l2 of two months',
    { edits: { l2: { payload: { exp: seconds + 60 * 86_400 } } } },
    ['VI_CREDENTIAL_EXPIRED'],
  ],
  [
    'typ of the other mode',
    { edits: { l2: { header: { typ: 'kb-sd-jwt' } } } },
    ['VI_BINDING_INVALID'],
  ],
  ['l3 of another key', { edits: { l3Payment: { key: stranger } } }, ['VI_SIGNATURE_INVALID']],
  ['l3 typ', { edits: { l3Payment: { header: { typ: 'kb-sd-jwt+kb' } } } }, ['VI_BINDING_INVALID']],
  ['l3 without kid', { edits: { l3Payment: { header: { kid: none } } } }, ['VI_BINDING_INVALID']],
  [
    'l3 of another kid',
    { edits: { l3Payment: { header: { kid: 'other' } } } },
    ['VI_BINDING_INVALID'],
  ],
  [
    'l3 of another view',
    { edits: { l3Payment: { payload: { sd_hash: 'A'.repeat(43) } } } },
    ['VI_BINDING_INVALID'],
  ],
  [
    'l3 that delegates',
    { edits: { l3Payment: { payload: { cnf: { jwk: stranger.jwk } } } } },
    ['VI_BINDING_INVALID'],
  ],
  [
    'l3 whose mandate delegates',
    { edits: { finalPayment: { cnf: { jwk: stranger.jwk } } } },
    ['VI_BINDING_INVALID'],
  ],
  [
    'l3 of two hours',
    { edits: { l3Payment: { payload: { exp: seconds + 7_200 } } } },
    ['VI_CREDENTIAL_EXPIRED'],
  ],
  [
    'l3 expired',
    { edits: { l3Payment: { payload: { iat: seconds - 400, exp: seconds - 61 } } } },
    ['VI_CREDENTIAL_EXPIRED'],
  ],
  [
    'l3 for others',
    { edits: { l3Payment: { payload: { aud: 'https://countersign.example.org' } } } },
    ['VI_AUDIENCE_MISMATCH'],
  ],
  [
    'l3 for the agent itself',
    { edits: { l3Payment: { payload: { aud: 'did:example:agent' } } } },
    ['VI_AUDIENCE_MISMATCH'],
  ],
  [
    'one nonce for l2 and l3',
    { edits: { l2: { payload: { nonce: 'n' } }, l3Payment: { payload: { nonce: 'n' } } } },
    ['VI_BINDING_INVALID'],
  ],
  [
    'an open mandate in l3',
    { edits: { finalPayment: { vct: 'mandate.payment.open.1' } } },
    ['VI_BINDING_INVALID'],
  ],
  [
    'a checkout as payment in l3',
    { edits: { finalPayment: { vct: 'mandate.checkout.1' } } },
    ['VI_BINDING_INVALID'],
  ],
  [
    'another instrument',
    { edits: { finalPayment: { payment_instrument: { type: 'card', id: 'card-2' } } } },
    ['VI_BINDING_INVALID'],
  ],
  [
    'an instrument of another type',
    { edits: { finalPayment: { payment_instrument: { type: 'token', id: 'card-1' } } } },
    ['VI_BINDING_INVALID'],
  ],
  [
    'a kid beside the key, as in the specification',
    { edits: { paymentMandate: { cnf: { jwk: keys.agent.jwk, kid: keys.agent.kid } } } },
    [],
  ],
  [
    'a payment of no checkout',
    { edits: { finalPayment: { transaction_id: none } } },
    ['VI_CHAIN_MALFORMED'],
  ],
  [
    'an agent without a key',
    {},
    ['VI_AGENT_KEY_NOT_REGISTERED'],
    { surroundings: { agentKeyThumbprint: null } },
  ],
  [
    'the key of another agent',
    {},
    ['VI_AGENT_KEY_MISMATCH'],
    { surroundings: { agentKeyThumbprint: stranger.thumbprint } },
  ],
  ['no cnf', { edits: { paymentMandate: { cnf: none } } }, ['VI_BINDING_INVALID']],
  ['no constraints', { edits: { paymentMandate: { constraints: [] } } }, ['VI_BINDING_INVALID']],
  [
    'no reference to a checkout',
    {
      edits: {
        paymentMandate: {
          constraints: [
            { type: 'mandate.payment.recurrence', frequency: 'MONTHLY', start_date: '2026-01-01' },
          ],
        },
      },
    },
    ['VI_BINDING_INVALID'],
  ],
  [
    'a second payment mandate',
    { edits: { moreMandates: [{ vct: 'mandate.payment.open.1', cnf: { jwk: keys.agent.jwk } }] } },
    ['VI_BINDING_INVALID'],
  ],
  [
    'an orphaned checkout mandate',
    {
      edits: {
        moreMandates: [
          {
            vct: 'mandate.checkout.open.1',
            cnf: { jwk: { ...keys.agent.jwk, kid: keys.agent.kid } },
          },
        ],
      },
    },
    ['VI_BINDING_INVALID'],
  ],
  [
    'no payment mandate',
    {
      edits: {
        paymentMandate: { vct: 'other' },
        moreMandates: [{ vct: 'mandate.checkout.open.1' }],
      },
    },
    ['VI_BINDING_INVALID', 'VI_DISCLOSURE_INCOMPLETE'],
  ],
  [
    'final beside open',
    { edits: { moreMandates: [{ vct: 'mandate.payment.1' }] } },
    ['VI_BINDING_INVALID'],
  ],
  ...[{ currency: 'USD' }, { amount: 1_000 }, { currency: 'USDC', amount: 1_000 }].map(
    (amount): Row => [
      `a payment of ${JSON.stringify(amount)}`,
      { edits: { finalPayment: { payment_amount: amount } } },
      ['VI_CHAIN_MALFORMED'],
    ],
  ),
]);

test('a missing L3 is reported, and the mode is known nevertheless', (t) => {
  const built = autonomousChain({ now, keys });
  const { l1, l2 } = built.chain;
  const verdict = verified({ ...built, chain: { l1, l2 } });
  t.match(verdict, { codes: ['VI_DISCLOSURE_INCOMPLETE'], mode: 'AUTONOMOUS', claim: null });
  t.end();
});

test('a payment signed by the user must come without an L3', (t) => {
  const built = immediateChain({ now, keys });
  const agents = autonomousChain({ now, keys, withCheckout: true }).chain;
  const { l3Payment, l3Checkout, l2Checkout } = agents;
  for (const added of [{ l3Payment }, { l3Checkout, l2Checkout }]) {
    const verdict = verified({ ...built, chain: { ...built.chain, ...added } });
    t.same(verdict.codes, ['VI_BINDING_INVALID'], Object.keys(added).join());
    t.equal(verdict.mode, 'IMMEDIATE');
  }
  t.end();
});

test("the mode is unknown until the user's signature is verified", (t) => {
  for (const edits of [{ l1: { key: stranger } }, { l2: { key: stranger } }]) {
    const verdict = verified(autonomousChain({ now, keys, edits }));
    t.match(verdict, { mode: null, claim: null, evidence: { reference: null } });
    t.match(verdict.evidence.l1Hash, /^[\w-]{43}$/);
  }
  t.end();
});

test("presenting another agent's chain does not consume it", (t) => {
  const elsewhere = 'https://other.example';
  t.equal(verified(immediateChain({ now, keys, l2Audience: elsewhere })).claim, null);
  t.equal(verified(autonomousChain({ now, keys, audience: elsewhere })).claim, null);
  const asked = { surroundings: { agentKeyThumbprint: stranger.thumbprint } };
  t.equal(verified(autonomousChain({ now, keys }), asked).claim, null);
  const built = autonomousChain({ now, keys });
  const keyless = (agentDid: string) =>
    verified(built, { surroundings: { agentKeyThumbprint: null, agentDid } }).claim;
  const names = [verified(built).claim, keyless('did:example:agent'), keyless('did:example:thief')];
  const counted = (by: 'mandateKey' | 'signerThumbprint') =>
    new Set(names.map((claim) => claim?.[by])).size;
  t.equal(counted('mandateKey'), 3, 'use by an agent without a key is counted separately');
  t.equal(counted('signerThumbprint'), 3);
  t.same(keyless('did:example:agent'), names[1], 'and counted');
  t.end();
});
