import type { ChainTerms } from '@countersign/runtime/testing/chain-terms';
import { checkoutOf, newChainKeys } from '@countersign/runtime/testing/chain-terms';
import { autonomousChain } from '@countersign/runtime/testing/intent-chain';
import { test } from 'tap';
import { type Asked, verified } from '../test/intent-request.js';

const now = Date.UTC(2026, 10, 23, 12);
const keys = newChainKeys();
const wallet = '0x52908400098527886E0F7030069857D2E4169EE7';
const shop = { id: 'm-1001', name: 'Corner shop', website: 'https://corner.example' };
const other = { id: 'm-2', name: 'Other', website: 'https://other.example' };

const violated = ['VI_CONSTRAINT_VIOLATED'];
const incomplete = ['VI_DISCLOSURE_INCOMPLETE'];
const unresolved = ['VI_CONSTRAINT_UNRESOLVED'];

type Row = [constraint: object, codes?: string[], subject?: Asked['subject']];

function set(...constraints: object[]): Partial<ChainTerms> {
  return { now, keys, constraints, payees: { shown: [], withheld: [] } };
}

function codesOf(given: Partial<ChainTerms>, subject?: Asked['subject']): string[] {
  return verified(autonomousChain({ now, keys, ...given }), { subject }).codes;
}

const payees = (allowed: unknown) => ({ type: 'mandate.payment.allowed_payees', allowed });
const range = (rest: object) => ({
  type: 'mandate.payment.amount_range',
  currency: 'USD',
  ...rest,
});
const budget = (rest: object) => ({ type: 'mandate.payment.budget', currency: 'USD', ...rest });
const own = (name: string, ...allowed: unknown[]) => ({
  type: `urn:svc:vi:allowed_${name}`,
  allowed,
});
const monthly = (rest: object) => ({
  type: 'mandate.payment.recurrence',
  frequency: 'MONTHLY',
  start_date: '2026-12-01',
  ...rest,
});

const alone: Row[] = [
  [payees([shop])],
  [payees([other, { ...shop, id: undefined }])],
  [payees([{ id: 'm-1001' }])],
  [payees([]), violated],
  [payees('m-1001'), violated],
  [payees(undefined), violated],
  [payees([other]), violated],
  [payees([{ ...shop, id: 'm-2' }]), violated],
  [payees([{ name: 'corner shop', website: shop.website }]), violated],
  [payees([{ name: shop.name }]), violated],
  [payees([{ ...shop, id: null }])],
  [payees([{ ...shop, id: 1001 }]), violated],
  [payees([{ ...shop, id: 'm'.repeat(256) }]), violated],
  [payees([{ name: shop.name, website: other.website }]), violated],
  [{ type: 'payment.allowed_payee', allowed_payees: [shop] }],
  [{ type: 'payment.allowed_payee', allowed_payees: [other] }, violated],
  [range({ min: 1_000, max: 1_000 })],
  [range({ max: 999 }), violated],
  [range({ min: 1_001 }), violated],
  [range({ max: 1_000.5 }), violated],
  [range({ min: 0.5 }), violated],
  [range({ min: 'none' }), violated],
  [range({ max: '1000' }), violated],
  [range({ max: -1 }), violated],
  [range({ max: 2 ** 53 }), violated],
  [{ ...range({ max: 1_000 }), currency: 'EUR' }, violated],
  [{ ...range({ max: 1_000 }), type: 'payment.amount' }],
  [{ ...budget({ max: 999 }), type: 'payment.budget' }, ['VI_BUDGET_EXCEEDED']],
  [{ ...monthly({ number: 0 }), type: 'payment.recurrence' }, violated],
  [{ type: 'payment.agent_recurrence', frequency: 'ON_DEMAND' }, violated],
  [budget({ max: 1_000 })],
  [budget({ max: 999 }), ['VI_BUDGET_EXCEEDED']],
  [budget({}), violated],
  [{ ...budget({ max: 1_000 }), currency: 'EUR' }, violated],
  [monthly({ end_date: '2027-12-01', number: 12 })],
  [monthly({ frequency: undefined }), violated],
  [monthly({ start_date: '2026-02-30' }), violated],
  [monthly({ start_date: '2026-13-01' }), violated],
  [monthly({ start_date: '2026-11' }), violated],
  [monthly({ start_date: '2026-11-01', end_date: '2026-11-23' })],
  [monthly({ start_date: '2026-11-01', end_date: '2026-11-22' }), violated],
  [monthly({ end_date: '2026-12-01' })],
  [monthly({ end_date: '2026-11-30' }), violated],
  [monthly({ end_date: 'never' }), violated],
  [monthly({ number: 0 }), violated],
  [monthly({ number: 1.5 }), violated],
  [own('mccs', '5411', '5812')],
  [own('mccs', '5812'), violated],
  [own('mccs', '5411'), violated, { mcc: null }],
  [own('mccs'), violated],
  [own('countries', 'USA')],
  [own('countries', 'usa'), violated],
  [own('mccs', null), violated, { mcc: null }],
  [own('chains', 'base'), violated],
  [own('counterparties', wallet), violated],
  [{ type: 'urn:example:loyalty' }, unresolved],
  [{ type: 'mandate.checkout.line_items', items: [] }, unresolved],
  [{ type: 'payment.amount_range', currency: 'USD', max: 10 }, unresolved],
  [{ max: 1 }, ['VI_CHAIN_MALFORMED']],
];

for (const [constraint, codes = [], subject] of alone) {
  test(`${JSON.stringify(constraint)}: ${codes.join() || 'kept'}`, (t) => {
    t.same(codesOf(set(constraint), subject), codes);
    t.end();
  });
}

test('the urn:svc lists limit crypto transfers', (t) => {
  const crypto = {
    chain: 'base',
    asset: 'USDC',
    counterparty: wallet,
    fromAddress: null,
  };
  const instrument = { type: 'x402', id: 'x402-base', payee_address: wallet };
  const asked = { crypto };
  const table: Row[] = [
    [own('chains', 'base')],
    [own('chains', 'polygon'), violated],
    [own('assets', 'USDC')],
    [own('assets', 'usdc')],
    [own('assets', 'USDT'), violated],
    [own('counterparties', wallet.toLowerCase())],
    [own('counterparties', `${wallet.slice(0, -1)}8`), violated],
  ];
  for (const [constraint, codes = []] of table) {
    t.same(codesOf({ ...set(constraint), instrument }, asked), codes, JSON.stringify(constraint));
  }
  t.end();
});

/** The user names no receiving address; the agent adds one in the instrument that it signs. */
function transferCodes(
  receiver: string,
  allowed: object[],
  { instrument, payee = shop, others = [] }: Transfer,
): string[] {
  const signed =
    instrument.type === 'x402' ? { ...instrument, payee_address: receiver } : instrument;
  const given = {
    ...set(payees(allowed), ...others),
    ...{ instrument, payee },
    edits: { finalPayment: { payment_instrument: signed } },
  };
  const crypto = {
    ...{ chain: 'base', asset: 'USDC', fromAddress: wallet },
    counterparty: receiver,
  };
  return codesOf(given, { crypto, merchantId: 'm-1001' });
}

interface Transfer {
  instrument: Record<string, unknown>;
  payee?: Record<string, unknown>;
  others?: object[];
}

const x402 = { type: 'x402', id: 'x402-base-usdc' };
const onBase = { type: 'crypto', id: `eip155:8453:${wallet}`, asset: 'USDC' };
const foreign = `${wallet.slice(0, -1)}8`;

test('a transfer within allowed_payees goes to an address that the user named', (t) => {
  t.same(transferCodes(foreign, [shop], { instrument: x402 }), violated, 'no address named');
  const paidTo = { ...shop, payee_address: wallet.toLowerCase() };
  t.same(transferCodes(wallet, [paidTo], { instrument: x402 }), []);
  t.same(transferCodes(foreign, [paidTo], { instrument: x402 }), violated);
  t.same(transferCodes(foreign, [paidTo, shop], { instrument: x402 }), violated);
  const elsewhere = { ...other, payee_address: foreign };
  t.same(transferCodes(foreign, [paidTo, elsewhere], { instrument: x402 }), violated);
  const fixed = { ...x402, payee_address: wallet };
  t.same(transferCodes(wallet, [shop], { instrument: fixed }), []);
  t.same(transferCodes(wallet, [{ ...paidTo, payee_address: foreign }], { instrument: fixed }), [
    'VI_CONSTRAINT_VIOLATED',
  ]);
  const others = [own('counterparties', wallet)];
  t.same(transferCodes(wallet, [shop], { instrument: x402, others }), []);
  t.same(transferCodes(foreign, [shop], { instrument: x402, others }), violated);
  t.end();
});

test('a payee that is an account is allowed by its account, not by its name', (t) => {
  const accountOf = (address: string) => ({ ...shop, id: `eip155:8453:${address}` });
  const named = { name: shop.name, website: shop.website };
  const paying = (address: string, allowed: object[]) =>
    transferCodes(address, allowed, { instrument: onBase, payee: accountOf(address) });
  t.same(paying(wallet, [accountOf(wallet)]), []);
  t.same(paying(foreign, [accountOf(wallet)]), violated);
  t.same(paying(foreign, [named]), violated);
  t.same(paying(wallet, [{ ...named, payee_address: wallet }]), []);
  t.end();
});

test('a payee is known by its id, or else by its name and website together', (t) => {
  const { id, name, website } = shop;
  const paying = (payee: Record<string, unknown>, allowed: object) =>
    codesOf({ ...set(payees([allowed])), payee });
  t.same(paying({ name, website }, shop), []);
  t.same(paying({ name, website }, { ...shop, website: other.website }), violated);
  t.same(paying({ id, website }, { website }), violated);
  t.same(paying({ name }, { name }), violated);
  t.end();
});

test('an allow-list with no disclosed entry is incomplete', (t) => {
  const hidden = { payees: { shown: [], withheld: [shop] } };
  t.same(codesOf(hidden), incomplete);
  t.same(codesOf({ payees: { shown: [shop], withheld: [other] } }), []);
  t.same(codesOf({ payees: { shown: [other], withheld: [shop] } }), violated);
  const digest = { '...': 'A'.repeat(43) };
  t.same(codesOf(set(range({ max: 5_000 }), digest)), incomplete, 'a withheld constraint');
  t.same(
    codesOf(set(range({ _sd: [digest['...']] }))),
    incomplete,
    'a withheld member of a constraint',
  );
  t.same(
    codesOf({ payees: { shown: [{ ...shop, _sd: [digest['...']] }], withheld: [] } }),
    incomplete,
  );
  t.end();
});

test('agent_recurrence: dates are inclusive; range and budget are required', (t) => {
  const recurring = (rest: object = {}) => ({
    type: 'mandate.payment.agent_recurrence',
    frequency: 'ON_DEMAND',
    start_date: '2026-11-23',
    end_date: '2026-11-23',
    ...rest,
  });
  const companions = [range({ max: 5_000 }), budget({ max: 50_000 })];
  const claimOf = (...constraints: object[]) => {
    const verdict = verified(autonomousChain(set(...constraints)));
    t.same(verdict.codes, []);
    return verdict.claim;
  };
  t.match(claimOf(recurring({ max_occurrences: 10 }), ...companions), {
    maxOccurrences: 10,
    budgetMinor: 50_000,
  });
  t.equal(claimOf(recurring(), ...companions)?.maxOccurrences, 2_147_483_647);
  t.match(claimOf(recurring(), ...companions, budget({ max: 40_000 })), { budgetMinor: 40_000 });
  t.equal(claimOf(recurring(), ...companions, monthly({}))?.maxOccurrences, null);
  t.match(claimOf(monthly({})), { maxOccurrences: null, budgetMinor: null });
  for (const constraints of [
    [recurring({ start_date: '2026-11-24', end_date: '2026-11-30' }), ...companions],
    [recurring({ start_date: '2026-11-01', end_date: '2026-11-22' }), ...companions],
    [recurring({ end_date: undefined }), ...companions],
    [recurring({ start_date: undefined }), ...companions],
    [recurring({ frequency: undefined }), ...companions],
    [recurring({ start_date: 20_261_123 }), ...companions],
    [recurring({ max_occurrences: 0 }), ...companions],
    [recurring({ max_occurrences: 1.5 }), ...companions],
    [recurring(), companions[0] ?? {}],
    [recurring(), companions[1] ?? {}],
  ]) {
    t.same(codesOf(set(...constraints)), violated, JSON.stringify(constraints));
  }
  t.end();
});

const racket = { id: 'BAB86345', title: 'Racket' };
const balls = { id: 'BALLS', title: 'Balls' };
const lines = (items: unknown, rest: object = {}) => ({
  type: 'mandate.checkout.line_items',
  items,
  ...rest,
});
const line = (id: string, quantity: number, ...acceptable: object[]) => ({
  id,
  acceptable_items: acceptable,
  quantity,
});

test('line items of a presented checkout', (t) => {
  const cart = [{ id: 'line-1', item: racket, quantity: 1 }];
  const two = [line('1', 1, racket), line('2', 3, balls)];
  const oneOfEach = [racket, balls].map((item) => ({ item, quantity: 1 }));
  const hidden = { '...': 'A'.repeat(43) };
  const table: [constraint: object, codes?: string[], lineItems?: unknown][] = [
    [lines([line('1', 1, racket)])],
    [lines([line('1', 1, racket)]), [], [{ id: 'BAB86345', quantity: 1 }]],
    [lines([line('1', 1, racket)]), violated, [{ id: 'BAB86345', quantity: 2 }]],
    [lines([line('1', 1, racket)]), violated, [{ id: 'BALLS', quantity: 1 }]],
    [lines([line('1', 1, racket)]), violated, []],
    [lines([line('1', 1, racket)]), violated, [{ id: 'BAB86345', quantity: 0.5 }]],
    [lines([line('1', 1, racket)]), violated, [{ id: 'BAB86345', quantity: 0 }]],
    [lines([line('1', 1, racket), line('2', 1, racket)]), [], [{ id: 'BAB86345', quantity: 2 }]],
    [lines([line('1', 5)]), [], [{ id: 'ANY', quantity: 5 }]],
    [lines([line('1', 2), line('2', 3)]), [], [{ id: 'ANY', quantity: 5 }]],
    [lines([line('1', 5)]), violated, [{ id: 'ANY', quantity: 6 }]],
    [lines([]), violated],
    [lines([line('1', 0, racket)]), violated],
    [lines([line('1', 1, { id: 'BAB86345' })]), violated],
    [lines([line('1', 1, racket)], { match_mode: 'other' }), violated],
    [lines([line('1', 1, racket), line('2', 1)], { match_mode: 'exact' })],
    [lines([line('1', 1, racket, balls)], { match_mode: 'exact' })],
    [lines('1'), violated],
    [lines([1]), violated],
    [lines([{ ...line('1', 1, racket), id: undefined }]), violated],
    [lines([{ ...line('1', 1, racket), acceptable_items: racket }]), violated],
    [lines([{ ...line('1', 1, racket), quantity: '1' }]), violated],
    [lines([line('1', 1, { ...racket, id: 7 })]), violated],
    [lines([line('1', 1, racket)]), violated, [1]],
    [lines([line('1', 1, racket)]), violated, [null]],
    [lines([line('1', 1, racket)]), violated, [{ item: racket }]],
    [lines([line('1', 1, racket)]), violated, [{ item: { id: 7 }, quantity: 1 }]],
    [
      lines([line('1', 1, racket, balls), line('2', 5, { id: 'STRINGS', title: 'Strings' })]),
      violated,
      oneOfEach,
    ],
    [lines([line('1', 1, racket, balls), line('2', 1, balls)]), [], oneOfEach],
    [lines(two, { match_mode: 'minimum' })],
    [lines(two, { match_mode: 'exact' }), violated],
    [lines([line('1', 1, hidden)]), incomplete],
    [lines([line('1', 1, racket), line('2', 1, hidden)], { match_mode: 'exact' }), incomplete],
    [{ type: 'mandate.payment.budget', currency: 'USD', max: 9_999 }, unresolved],
  ];
  for (const [constraint, codes = [], lineItems = cart] of table) {
    const given = { withCheckout: true, checkoutConstraints: [constraint], lineItems };
    const what = `${JSON.stringify(constraint)} ${JSON.stringify(lineItems)}`;
    t.same(codesOf(given), codes, what);
  }
  t.end();
});

test('the merchant is the one that checkout_jwt names', (t) => {
  const merchants = (...allowed: object[]) => [
    { type: 'mandate.checkout.allowed_merchants', allowed },
  ];
  const shown = { withCheckout: true };
  t.same(codesOf({ ...shown, checkoutConstraints: merchants(shop) }), []);
  t.same(codesOf({ ...shown, checkoutConstraints: merchants(other) }), violated);
  t.same(codesOf({ ...shown, checkoutJwt: checkoutOf({}) }), incomplete);
  t.same(codesOf({ ...shown, checkoutJwt: 'not a token' }), incomplete);
  const another = { edits: { finalCheckout: { checkout_hash: 'A'.repeat(43) } } };
  t.same(codesOf({ ...shown, ...another }), ['VI_BINDING_INVALID']);
  t.end();
});
