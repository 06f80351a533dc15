import { test } from 'tap';
import { clientReference, idempotencyKey, isSameMerchant, paymentIdentity } from './payment-key.js';
import { books } from './test/books.js';

const identity = (changed: Partial<typeof books> & { crypto?: typeof transfer } = {}) =>
  paymentIdentity('agt_1', { ...books, ...changed });
const transfer = { chain: 'base', asset: 'USDC', counterparty: '0xabc', value: '19.9' };

test('the same payment in other words is the same payment', (t) => {
  const same = [
    { amount: '19.9' },
    { amount: '19.900' },
    { task_reference: ' Order-1001 ' },
    { task_reference: '\uff4frder-1001' },
    { merchant_name: 'example  books' },
    { merchant_name: 'Example Books Ltd.' },
  ];
  for (const changed of same) t.equal(identity(changed), identity(), JSON.stringify(changed));
  t.equal(identity({ amount: '100' }), identity({ amount: '100.00' }));
  const withId = { ...books, merchant_id: 'm-1', mcc: '5942' };
  t.equal(paymentIdentity('agt_1', withId), identity(), 'what was left out the first time');
  const respelled = { chain: 'Base', asset: 'usdc', counterparty: '0xABC', value: '19.90' };
  t.equal(identity({ crypto: respelled }), identity({ crypto: transfer }));
  t.not(identity({ amount: '100' }), identity({ amount: '1' }));
  t.end();
});

test('another payment is another', (t) => {
  const others = [
    identity(),
    identity({ task_reference: 'order-1002' }),
    identity({ amount: '19.91' }),
    identity({ currency: 'EUR' }),
    identity({ payment_number: 2 }),
    identity({ crypto: transfer }),
    identity({ crypto: { ...transfer, counterparty: '0xabd' } }),
    paymentIdentity('agt_2', books),
  ];
  t.equal(new Set(others).size, others.length);
  t.end();
});

test('a merchant is known by its id or by its name', (t) => {
  const shop = { merchant_name: 'Example Books', merchant_id: 'm-1' };
  const same = [
    { merchant_name: ' example  BOOKS', merchant_id: null },
    { merchant_name: 'EXB*Example Bks', merchant_id: 'm-1' },
    { merchant_name: 'Example Books' },
  ];
  for (const other of same) t.ok(isSameMerchant(shop, other), JSON.stringify(other));
  const others = [
    { merchant_name: 'Other Books', merchant_id: null },
    { merchant_name: 'Other Books', merchant_id: 'm-2' },
    { merchant_name: 'Example Books', merchant_id: 'm-2' },
    { merchant_name: null, merchant_id: null },
  ];
  for (const other of others) t.notOk(isSameMerchant(shop, other), JSON.stringify(other));
  t.notOk(isSameMerchant({ merchant_name: 'A' }, { merchant_name: 'B' }), 'no id is no id');
  const composed = { merchant_id: 'caf\u00e9' };
  t.ok(isSameMerchant(composed, { merchant_id: 'cafe\u0301' }), 'as the service keeps an id');
  t.notOk(isSameMerchant(composed, { merchant_id: 'Caf\u00e9' }), 'which heeds case');
  t.end();
});

test('keys and references are what the service takes', (t) => {
  const key = idempotencyKey(identity(), 8);
  t.match(key, /^[A-Za-z0-9_\-:.]{8,128}$/);
  const reference = clientReference(`  Käse für 12 €\n${'x'.repeat(255)}`, key);
  t.match(reference, /^[\w.:-]{1,128}$/);
  t.ok(reference.endsWith(`.${key}`), 'found again by its key, whatever the task is called');
  t.end();
});
