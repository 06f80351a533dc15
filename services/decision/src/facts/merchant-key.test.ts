import { test } from 'tap';
import { factsOf } from '../test/facts.js';
import { merchantKey } from './merchant-key.js';
import type { PaymentFacts } from './shape.js';

const { payment } = factsOf({});
const key = (patch: Partial<PaymentFacts>) => merchantKey({ ...payment, ...patch });
const named = (merchantName: string) => key({ merchantName });

const counterparty = '0xAbCdef0123456789aBcDEF0123456789abcDEF01';
const crypto = {
  chain: 'base',
  asset: 'USDC',
  counterparty,
  fromAddress: null,
  value: '1',
  operation: 'transfer',
};
const toAddress = (address: string) => key({ crypto: { ...crypto, counterparty: address } });

test('merchant names are compared without case, width and spacing', (t) => {
  for (const spelling of [
    'corner shop',
    ' CORNER \t Shop ',
    'Corner\u00a0Shop',
    'Ｃｏｒｎｅｒ Shop',
  ]) {
    t.equal(named(spelling), named('Corner Shop'), spelling);
  }
  t.not(named('Corner Shops'), named('Corner Shop'));
  t.match(named('Corner Shop'), /^[0-9a-f]{32}$/);
  t.end();
});

test('an id takes precedence over a name, and never equals one', (t) => {
  t.equal(key({ merchantId: 'm-1' }), key({ merchantId: 'm-1', merchantName: 'Other' }));
  t.not(key({ merchantId: 'm-1' }), key({ merchantId: 'M-1' }), 'ids are exact');
  t.not(key({ merchantId: 'corner shop' }), named('corner shop'));
  t.end();
});

test('a transfer is identified by its counterparty, whatever merchant is named', (t) => {
  t.equal(toAddress(counterparty), toAddress(counterparty.toLowerCase()));
  t.equal(key({ crypto, merchantId: 'm-1' }), toAddress(counterparty));
  t.not(toAddress('bc1qAddress'), toAddress('bc1qaddress'), 'elsewhere case is meaning');
  t.end();
});

test('a payment without a merchant has no key', (t) => {
  t.equal(key({ merchantName: null }), null);
  t.equal(named('  '), null);
  t.end();
});
