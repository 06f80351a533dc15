import { test } from 'tap';
import { isZero, less, spelledLike } from './amount.js';

test('what is left of an amount is exact, with all decimals of the two', (t) => {
  t.equal(less('19.90', '5.00'), '14.90');
  t.equal(less('19.9', '5.05'), '14.85');
  t.equal(less('100', '99'), '1');
  t.equal(less('0.30', '0.10'), '0.20');
  t.equal(less('900719925474099.31', '0.01'), '900719925474099.30');
  t.equal(less('1.000000000000000001', '1'), '0.000000000000000001');
  for (const amount of ['0', '0.00', less('19.9', '19.90')]) t.ok(isZero(amount), amount);
  t.notOk(isZero('0.01'));
  t.end();
});

test('an amount gets the decimals of another, and loses none', (t) => {
  t.equal(spelledLike('19.9', '19.90'), '19.90');
  t.equal(spelledLike('25', '19.90'), '25.00');
  t.equal(spelledLike('25', '1200'), '25');
  t.equal(spelledLike('0.1', '1.000'), '0.100');
  t.equal(spelledLike('0.000001', '25'), '0.000001');
  t.equal(spelledLike('900719925474099.3', '1.00'), '900719925474099.30');
  t.end();
});
