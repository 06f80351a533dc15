import { newChainKeys } from '@countersign/runtime/testing/chain-terms';
import { autonomousChain, immediateChain } from '@countersign/runtime/testing/intent-chain';
import { disclosed, encoded, malleated, newChainKey } from '@countersign/runtime/testing/sd-jwt';
import { test } from 'tap';
import { verified } from '../test/intent-request.js';
import { readIssuer } from './read-issuer.js';

const now = Date.UTC(2026, 10, 23, 12);
const seconds = now / 1_000;
const keys = newChainKeys();
const shop = { id: 'm-1001', name: 'Corner shop', website: 'https://corner.example' };
const malformed = { codes: ['VI_CHAIN_MALFORMED'], verified: false, mode: null, claim: null };

test('a digest may be both in _sd and in delegate_payload', (t) => {
  const built = autonomousChain({ now, keys });
  const { _sd, delegate_payload } = JSON.parse(
    Buffer.from(built.chain.l2.split('.')[1] ?? '', 'base64url').toString(),
  );
  t.ok(delegate_payload.every((each: { '...': string }) => _sd.includes(each['...'])));
  t.ok(verified(built).verified);
  t.end();
});

test('the malleated signature verifies and consumes the same mandate', (t) => {
  const built = immediateChain({ now, keys });
  const other = { ...built, chain: { ...built.chain, l2: malleated(built.chain.l2) } };
  const [first, second] = [verified(built), verified(other)];
  t.not(other.chain.l2, built.chain.l2);
  t.ok(second.verified);
  t.equal(second.claim?.mandateKey, first.claim?.mandateKey);
  t.equal(second.claim?.nonce, first.claim?.nonce);
  t.match(first.claim?.mandateKey, /^[0-9a-f]{64}$/);
  t.end();
});

test('other disclosures of L2 consume the same mandate, another mandate does not', (t) => {
  const edits = { l2: { payload: { nonce: 'the-same', iat: seconds - 1, exp: seconds + 99 } } };
  const key = (chain: ReturnType<typeof autonomousChain>) => verified(chain).claim?.mandateKey;
  const built = autonomousChain({ now, keys, edits });
  const [jwt = '', mandate = ''] = built.chain.l2.split('~');
  const view = `${jwt}~${mandate}~`;
  const hidden = { ...built, chain: { ...built.chain, l2: view } };
  // An agent would sign for these disclosures; that binding is tested elsewhere.
  t.match(verified(hidden).codes, ['VI_BINDING_INVALID', 'VI_DISCLOSURE_INCOMPLETE']);
  t.equal(key(hidden), key(built));
  t.not(key(autonomousChain({ now, keys, edits })), key(built));
  t.end();
});

test('the tolerated clock skew is one minute', (t) => {
  const built = autonomousChain({ now, keys });
  for (const [later, codes] of [
    [294 + 60, []],
    [295 + 61, ['VI_CREDENTIAL_EXPIRED']],
  ] as const) {
    const surroundings = { now: now + later * 1_000 };
    t.same(verified(built, { surroundings }).codes, codes, `${later} s later`);
  }
  t.equal(verified(built).claim?.nonceExpiresAt, now + (295 + 60) * 1_000);
  t.end();
});

test('a credential is valid for at most as long as its layer may be', (t) => {
  const layers = [
    [autonomousChain, 'l1', 366 * 86_400],
    [immediateChain, 'l2', 900],
    [autonomousChain, 'l2', 30 * 86_400],
    [autonomousChain, 'l3Payment', 3_600],
  ] as const;
  for (const [make, layer, most] of layers) {
    const codes = (life: number) => {
      const payload = { iat: seconds - 1, exp: seconds - 1 + life };
      return verified(make({ now, keys, edits: { [layer]: { payload } } })).codes;
    };
    t.same(codes(most), [], `${make.name} ${layer}`);
    t.same(codes(most + 1), ['VI_CREDENTIAL_EXPIRED'], `${make.name} ${layer}`);
  }
  t.end();
});

test('a credential whose validity cannot be read uses up no mandate', (t) => {
  const periods = [
    { exp: 'never' },
    { iat: seconds, exp: seconds },
    { iat: seconds + 1, exp: seconds },
    { iat: undefined, nbf: seconds },
  ];
  for (const layer of ['l1', 'l2', 'l3Payment'] as const) {
    for (const payload of periods) {
      const edits = { [layer]: { payload } };
      const { codes, claim } = verified(autonomousChain({ now, keys, edits }));
      const what = `${layer} ${JSON.stringify(payload)}`;
      t.same({ codes, claim }, { codes: ['VI_CHAIN_MALFORMED'], claim: null }, what);
    }
  }
  t.end();
});

test('a chain with a forged checkout uses up no mandate', (t) => {
  const edits = { l3Checkout: { key: newChainKey('thief') } };
  const { codes, claim } = verified(autonomousChain({ now, keys, withCheckout: true, edits }));
  t.same({ codes, claim }, { codes: ['VI_SIGNATURE_INVALID'], claim: null });
  t.end();
});

test('the claim names issuer, subject and user key for the ledger to compare', (t) => {
  const { claim } = verified(autonomousChain({ now, keys }));
  t.match(claim, {
    issuer: 'https://issuer.example',
    subject: 'user-1',
    userKeyThumbprint: keys.user.thumbprint,
  });
  t.end();
});

test('a key has one spelling, and so one thumbprint', (t) => {
  const padded = Buffer.concat([Buffer.alloc(1), Buffer.from(keys.user.jwk.x, 'base64url')]);
  const jwk = { ...keys.user.jwk, x: padded.toString('base64url') };
  const edits = { l1: { payload: { cnf: { jwk } } } };
  t.same(verified(immediateChain({ now, keys, edits })).codes, ['VI_SIGNATURE_INVALID']);
  t.end();
});

test('all mandates of one L2 must delegate to one key', (t) => {
  const other = newChainKey('agt-2');
  const checkoutMandate = { cnf: { jwk: { ...other.jwk, kid: keys.agent.kid } } };
  const given = { now, keys, withCheckout: true, edits: { checkoutMandate } };
  t.same(verified(autonomousChain(given)).codes, ['VI_BINDING_INVALID']);
  t.end();
});

test('a payment refers to a checkout of its own L2, and L2 discloses no other', (t) => {
  const type = 'mandate.payment.reference';
  const constraints = [{ type, conditional_transaction_id: 'A'.repeat(43) }];
  const elsewhere = autonomousChain({ now, keys, edits: { paymentMandate: { constraints } } });
  t.match(verified(elsewhere), {
    codes: ['VI_BINDING_INVALID'],
    details: ['the payment mandate needs one reference to a checkout mandate of the same l2'],
  });
  const orphan = {
    vct: 'mandate.checkout.open.1',
    cnf: { jwk: { ...keys.agent.jwk, kid: keys.agent.kid } },
    constraints: [{ type: 'urn:svc:vi:allowed_mccs', allowed: ['5411'] }],
  };
  const beside = autonomousChain({ now, keys, edits: { moreMandates: [orphan] } });
  t.match(verified(beside), {
    codes: ['VI_BINDING_INVALID'],
    details: ['l2 discloses a checkout mandate that the payment mandate does not refer to'],
  });
  t.end();
});

test('mandate smuggling: no digest may be delegated twice or be in _sd twice', (t) => {
  const [mandate] = [{ vct: 'mandate.payment.1', note: 'one' }];
  const built = immediateChain({ now, keys });
  const twice = { '...': built.paymentDigest };
  const edits = { l2: { payload: { delegate_payload: [twice, twice] } }, moreMandates: [mandate] };
  t.notOk(verified(immediateChain({ now, keys, edits })).verified);
  const again = { l2: { payload: { _sd: [twice['...'], twice['...']] } } };
  t.match(verified(immediateChain({ now, keys, edits: again })), malformed);
  t.end();
});

test('headers that choose the verification key are refused', (t) => {
  for (const name of ['jwk', 'jku', 'x5u', 'x5c', 'crit']) {
    const header = { [name]: name === 'jwk' ? keys.agent.jwk : 'https://keys.example' };
    for (const layer of ['l1', 'l2', 'l3Payment']) {
      const edits = { [layer]: { header } };
      t.match(verified(autonomousChain({ now, keys, edits })), malformed, `${name} in ${layer}`);
    }
  }
  t.end();
});

/** Applies the change to each credential in turn. */
function everyPart(change: (text: string) => string) {
  const built = autonomousChain({ now, keys });
  return (['l1', 'l2', 'l3Payment'] as const).map((name) => {
    const chain = { ...built.chain, [name]: change(built.chain[name] ?? '') };
    return { name, verdict: verified({ ...built, chain }) };
  });
}

test('ambiguous encodings are refused', (t) => {
  const [salt, value] = ['salt', 'x'];
  const changes: Record<string, (text: string) => string> = {
    'no tilde at the end': (text) => text.slice(0, -1),
    'a key binding at the end': (text) => `${text}a.b.c`,
    'bits that a lax decoder drops': (text) =>
      text.replace(/.~/, ([last = '']) => `${String.fromCharCode(last.charCodeAt(0) + 1)}~`),
    padding: (text) => text.replace('~', '=~'),
    'an empty disclosure': (text) => `${text}~`,
    'a disclosure nobody asked for': (text) => `${text}${disclosed(shop).text}~`,
    'a disclosure twice': (text) => `${text}${text.split('~')[1]}~`,
    '65 disclosures': (text) => `${text}${`${encoded([salt, value])}~`.repeat(65)}`,
    '16 KiB and one': (text) => text.padEnd(16_385, '~'),
    'a signature of 63 bytes': (text) => text.replace(/..~/, '~'),
    'a signature of 66 bytes': (text) => text.replace('~', 'AA~'),
    'a part more': (text) => text.replace('~', '.AA~'),
    'a key twice': (text) => text.replace(/^[^.]+/, encoded('{"alg":"ES256","alg":"ES256"}')),
    'a whole number in disguise': (text) =>
      text.replace(/^[^.]+/, encoded('{"alg":"ES256","n":1.0}')),
    'a whole number with an exponent': (text) =>
      text.replace(/^[^.]+/, encoded('{"alg":"ES256","n":1e2}')),
    'too deep': (text) =>
      text.replace(/^[^.]+/, encoded(`{"a":${'['.repeat(13)}${']'.repeat(13)}}`)),
    'no object': (text) => text.replace(/^[^.]+/, encoded('[]')),
    nothing: () => '',
  };
  for (const [what, change] of Object.entries(changes)) {
    for (const { name, verdict } of everyPart(change))
      t.match(verdict, malformed, `${what}: ${name}`);
  }
  t.equal(readIssuer({ l1: 'x', l2: 'y' }), null);
  t.end();
});

test('stored values have a bounded length and lifetime', (t) => {
  for (const text of ['a\0b', 'half \ud800', '\ue000', 'x'.repeat(256), '']) {
    const nonce = { edits: { l3Payment: { payload: { nonce: text } } } };
    const what = JSON.stringify(text);
    t.match(
      verified(autonomousChain({ now, keys, ...nonce })),
      { ...malformed, mode: 'AUTONOMOUS' },
      what,
    );
    t.match(verified(autonomousChain({ now, keys, subject: text })), malformed, what);
    t.match(verified(autonomousChain({ now, keys, issuer: text })), malformed, what);
  }
  for (const iat of [seconds, seconds + 10_000_000]) {
    const edits = { l3Payment: { payload: { iat, exp: iat + 100_000_000 } } };
    const { claim } = verified(autonomousChain({ now, keys, edits }));
    const end = claim?.nonceExpiresAt ?? Number.NaN;
    t.ok(end <= now + (3_600 + 120) * 1_000, `${end}`);
  }
  t.end();
});

test('SHA-256 is the only hash algorithm, and the default', (t) => {
  for (const layer of ['l1', 'l2', 'l3Payment']) {
    const edit = (alg?: string) => ({ [layer]: { payload: { _sd_alg: alg } } });
    t.match(verified(autonomousChain({ now, keys, edits: edit('sha-512') })), malformed, layer);
    t.ok(verified(autonomousChain({ now, keys, edits: edit() })).verified, layer);
  }
  t.end();
});

test('l2_checkout and l3_checkout must be sent together', (t) => {
  const { chain, ...built } = autonomousChain({ now, keys, withCheckout: true });
  const { l3Checkout, ...rest } = chain;
  t.match(verified({ ...built, chain: rest }), malformed);
  t.end();
});

test('the checkout must be presented with the L2 of the payment', (t) => {
  const [one, two] = [1, 2].map(() => autonomousChain({ now, keys, withCheckout: true }));
  const { l2Checkout, l3Checkout } = two?.chain ?? {};
  if (!one) return t.fail();
  const chain = { ...one.chain, l2Checkout, l3Checkout };
  t.same(verified({ ...one, chain }).codes, ['VI_BINDING_INVALID']);
  return t.end();
});

test('no detail contains text of a credential', (t) => {
  const edits = {
    finalPayment: { payee: { id: 'secret-payee' } },
    l1: { payload: { vct: 'secret-vct' } },
  };
  for (const given of [{ edits }, { edits: { finalPayment: edits.finalPayment } }]) {
    const verdict = verified(autonomousChain({ now, keys, ...given }));
    t.ok(verdict.details.length > 0);
    t.notMatch(verdict.details.join(), /secret/);
  }
  t.end();
});
