import { type ChainTerms, newChainKeys } from '@countersign/runtime/testing/chain-terms';
import { autonomousChain, immediateChain } from '@countersign/runtime/testing/intent-chain';
import {
  type ChainKey,
  digest,
  disclosed,
  encoded,
  malleated,
  signedJwt,
} from '@countersign/runtime/testing/sd-jwt';
import { test } from 'tap';
import { verified } from '../test/intent-request.js';

const now = Date.UTC(2026, 10, 23, 12);
const keys = newChainKeys();

interface Payload {
  delegate_payload: object[];
  sd_hash: string;
  nonce: string;
  _sd?: string[];
}

/** The same presentation, signed again with other claims. */
function resigned(text: string, key: ChainKey, change: (payload: Payload) => Partial<Payload>) {
  const [jwt = '', ...rest] = text.split('~');
  const [header, payload] = jwt
    .split('.', 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()));
  const signed = signedJwt({ header, payload: { ...payload, ...change(payload) }, key });
  return [signed, ...rest].join('~');
}

test('an L2 with a duplicate mandate delegates nothing', (t) => {
  const built = immediateChain({ now, keys });
  const l2 = resigned(built.chain.l2, keys.user, ({ delegate_payload: [one = {}, two = {}] }) => ({
    delegate_payload: [one, two, two],
  }));
  const verdict = verified({ ...built, chain: { ...built.chain, l2 } });
  t.match(verdict, { codes: ['VI_BINDING_INVALID'], mode: null, claim: null });
  t.end();
});

test('a reference to a mandate is a digest and nothing else', (t) => {
  const built = immediateChain({ now, keys });
  const codes = (more: object) => {
    const change = ({ delegate_payload: [one, ...rest] }: Payload) => ({
      delegate_payload: [{ ...one, ...more }, ...rest],
    });
    const l2 = resigned(built.chain.l2, keys.user, change);
    return verified({ ...built, chain: { ...built.chain, l2 } }).codes;
  };
  t.same(codes({}), []);
  t.same(codes({ vct: 'mandate.payment.1' }), ['VI_CHAIN_MALFORMED']);
  t.end();
});

test('an L2 without disclosed mandates has no mode', (t) => {
  for (const make of [immediateChain, autonomousChain]) {
    const built = make({ now, keys });
    const l2 = `${built.chain.l2.split('~')[0]}~`;
    const verdict = verified({ ...built, chain: { ...built.chain, l2 } });
    t.match(verdict, { codes: ['VI_DISCLOSURE_INCOMPLETE'], mode: null, claim: null });
  }
  t.end();
});

/** An immediate chain whose L1 discloses more members. */
function withMembers(members: ReadonlyArray<[name: string, value: unknown]>) {
  const built = immediateChain({ now, keys });
  const more = members.map(([name, value]) => disclosed(value, name));
  const root = resigned(built.chain.l1, keys.issuer, ({ _sd = [] }) => ({
    _sd: [..._sd, ...more.map((each) => each.digest)],
  }));
  const l1 = [root, ...more.map(({ text }) => `${text}~`)].join('');
  const l2 = resigned(built.chain.l2, keys.user, () => ({ sd_hash: digest(l1) }));
  return verified({ ...built, chain: { ...built.chain, l1, l2 } });
}

test('a card that L1 discloses selectively is the only one that pays', (t) => {
  t.ok(withMembers([['card_id', 'card-1']]).verified);
  t.same(withMembers([['card_id', 'card-2']]).codes, ['VI_BINDING_INVALID']);
  t.same(withMembers([['card_id', 2]]).codes, ['VI_CHAIN_MALFORMED']);
  t.end();
});

test('a disclosed member must not have the name of another one', (t) => {
  t.ok(
    withMembers([
      ['phone', '+1'],
      ['__proto__', { card_id: 'card-2' }],
    ]).verified,
  );
  for (const members of [
    [['sub', 'somebody-else']],
    [
      ['phone', '+1'],
      ['phone', '+2'],
    ],
  ] as const) {
    t.match(withMembers(members.map(([name, value]) => [name, value])), {
      codes: ['VI_CHAIN_MALFORMED'],
      claim: null,
    });
  }
  t.end();
});

test('an L3 must disclose all of its mandates', (t) => {
  const built = autonomousChain({ now, keys });
  const hide = ({ delegate_payload: shown }: Payload) => ({
    delegate_payload: [...shown, { '...': 'A'.repeat(43) }],
  });
  const l3Payment = resigned(built.chain.l3Payment ?? '', keys.agent, hide);
  const verdict = verified({ ...built, chain: { ...built.chain, l3Payment } });
  t.same(verdict.codes, ['VI_DISCLOSURE_INCOMPLETE']);
  const none = `${built.chain.l3Payment?.split('~')[0]}~`;
  const empty = verified({ ...built, chain: { ...built.chain, l3Payment: none } });
  t.same(empty.codes, ['VI_DISCLOSURE_INCOMPLETE']);
  const whole = resigned(built.chain.l3Payment ?? '', keys.agent, () => ({}));
  t.ok(verified({ ...built, chain: { ...built.chain, l3Payment: whole } }).verified);
  t.end();
});

test('one mandate that withholds a member is one too many', (t) => {
  const edits = { finalPayment: { _sd: ['A'.repeat(43)] } };
  t.same(verified(immediateChain({ now, keys, edits })).codes, ['VI_DISCLOSURE_INCOMPLETE']);
  t.end();
});

test('an L3 limits nothing, names its key and signs one payment', (t) => {
  const refused = ['VI_BINDING_INVALID'];
  const codes = (edits: ChainTerms['edits']) =>
    verified(autonomousChain({ now, keys, edits })).codes;
  t.same(codes({ l3Payment: { payload: { constraints: [] } } }), refused);
  t.same(codes({ finalPayment: { constraints: [] } }), refused);
  const paymentMandate = { cnf: { jwk: keys.agent.jwk } };
  t.same(codes({ paymentMandate, l3Payment: { header: { kid: null } } }), refused);

  const { chain, ...built } = autonomousChain({ now, keys });
  const second = disclosed({ vct: 'mandate.payment.1', transaction_id: 'another' });
  const change = ({ delegate_payload: [one = {}] }: Payload) => ({
    delegate_payload: [one, { '...': second.digest }],
  });
  const l3Payment = `${resigned(chain.l3Payment ?? '', keys.agent, change)}${second.text}~`;
  t.same(verified({ ...built, chain: { ...chain, l3Payment } }).codes, refused);
  t.end();
});

test('the checkout must be presented with the L2 that was verified', (t) => {
  const { chain, ...built } = autonomousChain({ now, keys, withCheckout: true });
  const shown = (l2Checkout: string) => {
    const l3 = chain.l3Checkout ?? '';
    const l3Checkout = resigned(l3, keys.agent, () => ({ sd_hash: digest(l2Checkout) }));
    return verified({ ...built, chain: { ...chain, l2Checkout, l3Checkout } });
  };
  t.ok(shown(chain.l2Checkout ?? '').verified);
  t.match(shown(malleated(chain.l2Checkout ?? '')), {
    codes: ['VI_BINDING_INVALID'],
    details: ['l2_checkout must be the same credential as l2, with other disclosures'],
  });
  t.end();
});

test('mandates that are presented together must delegate to one key with one kid', (t) => {
  const { jwk, kid } = keys.agent;
  for (const cnf of [{ jwk: { ...keys.user.jwk, kid } }, { jwk: { ...jwk, kid: 'other' } }, {}]) {
    const moreMandates = [{ vct: 'mandate.checkout.open.1', cnf }];
    const verdict = verified(autonomousChain({ now, keys, edits: { moreMandates } }));
    t.match(verdict, {
      codes: ['VI_BINDING_INVALID'],
      details: ['the mandates of l2 delegate to different keys'],
    });
  }
  t.end();
});

test('a payment is delegated to a key on the curve P-256, or to nobody', (t) => {
  for (const jwk of [
    { ...keys.agent.jwk, crv: 'P-384' },
    { ...keys.agent.jwk, x: '' },
  ]) {
    const edits = { paymentMandate: { cnf: { jwk } } };
    const verdict = verified(autonomousChain({ now, keys, edits }));
    t.match(verdict, { codes: ['VI_BINDING_INVALID'], claim: null });
  }
  t.end();
});

test('constraints of a checkout mandate disclosed with the payment are enforced', (t) => {
  const shown = (...checkoutConstraints: object[]) => {
    const { chain, ...built } = autonomousChain({
      ...{ now, keys, withCheckout: true, checkoutConstraints },
    });
    const l2 = `${chain.l2}${chain.l2Checkout?.split('~')[1]}~`;
    const change = () => ({ sd_hash: digest(l2) });
    const l3Payment = resigned(chain.l3Payment ?? '', keys.agent, change);
    return verified({ ...built, chain: { l1: chain.l1, l2, l3Payment } }).codes;
  };
  t.same(
    shown({ type: 'mandate.checkout.line_items', items: [] }),
    [],
    'not checked without a checkout',
  );
  const allowed = [{ id: 'another' }];
  t.same(shown({ type: 'mandate.checkout.allowed_merchants', allowed }), [], 'nor who sells');
  t.same(shown({ type: 'urn:svc:vi:allowed_mccs', allowed: ['5411'] }), []);
  t.same(shown({ type: 'urn:svc:vi:allowed_mccs', allowed: ['1'] }), ['VI_CONSTRAINT_VIOLATED']);
  t.same(shown({ type: 'urn:example:other' }), ['VI_CONSTRAINT_UNRESOLVED']);
  t.end();
});

/** A payment whose agent discloses more than its mandate, and signed for that. */
function withDisclosures(texts: string[], referenced = texts) {
  const { chain, ...built } = autonomousChain({ now, keys });
  const change = () => ({ _sd: referenced.map((text) => digest(text)) });
  const l3 = resigned(chain.l3Payment ?? '', keys.agent, change);
  const l3Payment = `${l3}${texts.map((text) => `${text}~`).join('')}`;
  return verified({ ...built, chain: { ...chain, l3Payment } });
}

test('a malformed disclosure is refused although it is signed for', (t) => {
  t.ok(withDisclosures([disclosed('x').text]).verified);
  t.ok(withDisclosures([disclosed('x', 'note').text]).verified);
  const many = Array.from({ length: 64 }, (_, nth) => disclosed(`${nth}`).text);
  t.same(withDisclosures(many).codes, ['VI_CHAIN_MALFORMED'], 'more than 64 in all');
  const texts: Record<string, string> = {
    'no salt': encoded(['x']),
    'a salt that is no text': encoded([1, 'x']),
    'four parts': encoded(['salt', 'note', 'x', 1]),
    'a name that is no text': encoded(['salt', 1, 'x']),
    'the name _sd': encoded(['salt', '_sd', []]),
    'the name _sd_alg': encoded(['salt', '_sd_alg', 'sha-256']),
    'the name ...': encoded(['salt', '...', 'x']),
    'no list': encoded({ 0: 'salt', 1: 'x', length: 2 }),
    'no UTF-8': Buffer.from('["salt","\xff"]', 'latin1').toString('base64url'),
  };
  for (const [what, text] of Object.entries(texts)) {
    t.match(withDisclosures([text]), { codes: ['VI_CHAIN_MALFORMED'], claim: null }, what);
  }
  t.end();
});

test('a disclosure is read once, however often others refer to it', (t) => {
  const texts = [disclosed('the last').text];
  for (let nth = 0; nth < 40; nth += 1) {
    const reference = { '...': digest(texts[0] ?? '') };
    texts.unshift(disclosed([reference, reference]).text);
  }
  t.ok(withDisclosures(texts, texts.slice(0, 1)).verified);
  t.end();
});

test('a payment that the user signed has no checkout of an agent', (t) => {
  const built = immediateChain({ now, keys });
  const { l2Checkout, l3Checkout } = autonomousChain({ now, keys, withCheckout: true }).chain;
  const verdict = verified({ ...built, chain: { ...built.chain, l2Checkout, l3Checkout } });
  t.match(verdict, { codes: ['VI_BINDING_INVALID'], mode: 'IMMEDIATE' });
  t.end();
});

const shop = { id: 'm-1001', name: 'Corner shop', website: 'https://corner.example' };

test('the checkout may rely on what either presentation of L2 discloses', (t) => {
  const entry = disclosed(shop);
  const allowed = [{ '...': entry.digest }];
  const checkoutConstraints = [{ type: 'mandate.checkout.allowed_merchants', allowed }];
  const codes = (constraints: object[], shownIn?: 'l2' | 'l2Checkout') => {
    const given = { now, keys, withCheckout: true, constraints, checkoutConstraints };
    const { chain, ...built } = autonomousChain({
      ...given,
      payees: { shown: [], withheld: [] },
    });
    const view = (name: 'l2' | 'l2Checkout') =>
      `${chain[name]}${shownIn === name ? `${entry.text}~` : ''}`;
    return verified({ ...built, chain: bound(chain, view('l2'), view('l2Checkout')) }).codes;
  };
  t.same(codes([{ type: 'mandate.payment.allowed_payees', allowed }], 'l2'), []);
  t.same(codes([], 'l2Checkout'), []);
  t.same(codes([]), ['VI_DISCLOSURE_INCOMPLETE']);
  t.end();
});

test('a checkout mandate without a constraint is a blank cheque', (t) => {
  const verdict = verified(
    autonomousChain({ now, keys, withCheckout: true, checkoutConstraints: [] }),
  );
  t.same(verdict.codes, ['VI_BINDING_INVALID']);
  t.end();
});

test('a presented checkout lifts no limit of the payment', (t) => {
  const constraints = [{ type: 'mandate.payment.amount_range', currency: 'USD', max: 999 }];
  const verdict = verified(autonomousChain({ now, keys, withCheckout: true, constraints }));
  t.same(verdict.codes, ['VI_CONSTRAINT_VIOLATED']);
  t.end();
});

type Chain = ReturnType<typeof autonomousChain>['chain'];

/** The same chain, with what the agent signs bound to these presentations of L2. */
function bound({ l1, l3Payment = '', l3Checkout }: Chain, l2: string, l2Checkout?: string): Chain {
  const to = (view: string) => () => ({ sd_hash: digest(view) });
  const payment = { l1, l2, l3Payment: resigned(l3Payment, keys.agent, to(l2)) };
  if (l3Checkout === undefined || l2Checkout === undefined) return payment;
  const signed = resigned(l3Checkout, keys.agent, to(l2Checkout));
  return { ...payment, l2Checkout, l3Checkout: signed };
}

test('an L2 delegates at most 64 mandates', (t) => {
  const { chain, ...built } = autonomousChain({ now, keys });
  const codes = (most: number) => {
    const l2 = resigned(chain.l2, keys.user, ({ delegate_payload: list }) => {
      const others = Array.from({ length: most - list.length }, (_, nth) => digest(`${nth}`));
      return { delegate_payload: [...list, ...others.map((each) => ({ '...': each }))] };
    });
    return verified({ ...built, chain: bound(chain, l2) }).codes;
  };
  t.same(codes(64), []);
  t.same(codes(65), ['VI_CHAIN_MALFORMED']);
  t.end();
});

test('a payment refers to exactly one checkout', (t) => {
  const [one, other] = [digest('one'), digest('other')];
  const codes = (...references: string[]) => {
    const constraints = references.map((conditional_transaction_id) => {
      return { type: 'mandate.payment.reference', conditional_transaction_id };
    });
    const edits = { paymentMandate: { constraints } };
    const { chain, ...built } = autonomousChain({ now, keys, edits });
    const l2 = resigned(chain.l2, keys.user, ({ delegate_payload: list }) => ({
      delegate_payload: [...list, { '...': one }, { '...': other }],
    }));
    return verified({ ...built, chain: bound(chain, l2) }).codes;
  };
  t.same(codes(one), []);
  t.same(codes(one, other), ['VI_BINDING_INVALID']);
  t.end();
});

/** L2, signed again to delegate a second mandate that says the same as a disclosed one. */
function withTwin(l2: string, disclosure = '') {
  const [, body] = JSON.parse(Buffer.from(disclosure, 'base64url').toString());
  const twin = disclosed(body);
  const change = ({ delegate_payload: list }: Payload) => ({
    delegate_payload: [...list, { '...': twin.digest }],
  });
  const [jwt = ''] = resigned(l2, keys.user, change).split('~');
  return { jwt, twin: twin.text };
}

test('the presented checkout mandate is the one that the payment refers to', (t) => {
  const { chain, ...built } = autonomousChain({ now, keys, withCheckout: true });
  const [, ...shown] = chain.l2.split('~');
  const [, own = ''] = chain.l2Checkout?.split('~') ?? [];
  const { jwt, twin } = withTwin(chain.l2, own);
  const presenting = (mandate: string) => {
    const l2 = [jwt, ...shown].join('~');
    return verified({ ...built, chain: bound(chain, l2, `${jwt}~${mandate}~`) });
  };
  t.ok(presenting(own).verified);
  t.match(presenting(twin), {
    codes: ['VI_BINDING_INVALID'],
    details: ['l2_checkout must disclose the checkout mandate that the payment mandate refers to'],
  });
  t.end();
});

test('the payment mandate must be disclosed, and that of a checkout with the checkout', (t) => {
  const { chain, ...built } = autonomousChain({ now, keys, withCheckout: true });
  const { l2, l2Checkout = '' } = chain;
  const [jwt] = l2.split('~');
  const codes = (payment: string, checkout: string) =>
    verified({ ...built, chain: bound(chain, payment, checkout) }).codes;
  t.same(codes(l2, l2Checkout), []);
  t.same(codes(l2, `${jwt}~`), ['VI_DISCLOSURE_INCOMPLETE']);
  t.same(codes(l2Checkout, l2Checkout), ['VI_DISCLOSURE_INCOMPLETE']);
  t.end();
});

test('each payment mandate of each L2 is counted by itself', (t) => {
  const { chain, ...built } = autonomousChain({ now, keys });
  const [, own = '', ...shown] = chain.l2.split('~');
  const { jwt, twin } = withTwin(chain.l2, own);
  const again = resigned(chain.l2, keys.user, () => ({ nonce: 'another' }));
  const counted = [[jwt, own, ...shown].join('~'), [jwt, twin, ...shown].join('~'), again].map(
    (l2) => verified({ ...built, chain: bound(chain, l2) }),
  );
  t.same(
    counted.map(({ codes }) => codes),
    [[], [], []],
  );
  t.equal(new Set(counted.map(({ claim }) => claim?.mandateKey)).size, 3);
  t.end();
});
