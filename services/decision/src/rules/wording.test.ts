import { test } from 'tap';
import { sentence } from './wording.js';

test('a sentence begins with a capital, but for the name of a field', (t) => {
  t.equal(sentence(['the amount is too high', 'pay less']), 'The amount is too high; pay less.');
  for (const name of ['merchant_id', 'crypto.asset', 'l2']) {
    t.equal(sentence([`${name} is not signed`]), `${name} is not signed.`);
  }
  t.end();
});
