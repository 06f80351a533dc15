import fc from 'fast-check';
import { test } from 'tap';
import { amountProblem, Decimal, formatAmount, plainAmount } from './money.js';

function problemByArithmetic(text: string, decimals: number) {
  if (!/^(0|[1-9]\d*)(\.\d+)?$/.test(text)) return 'not_decimal';
  const value = new Decimal(text);
  if (value.lte(0)) return 'not_positive';
  if (value.gte('1e15')) return 'too_large';
  return value.decimalPlaces() > decimals ? 'too_many_decimals' : null;
}

test('sums of the largest amounts and the smallest units are exact', (t) => {
  const largest = new Decimal('999999999999999.999999999999999999');
  const unit = '0.000000000000000001';
  t.equal(largest.plus(unit).toFixed(), '1000000000000000');
  t.equal(largest.minus(unit).toFixed(), '999999999999999.999999999999999998');
  t.equal(largest.times('1e18').toFixed(), '999999999999999999999999999999999');
  t.end();
});

test('what is finer than a currency is rounded half to even', (t) => {
  for (const [amount, currency, text] of [
    ['0.125', 'USD', '0.12'],
    ['0.1251', 'USD', '0.13'],
    ['0.135', 'USD', '0.14'],
    ['0.139', 'USD', '0.14'],
    ['0.5', 'JPY', '0'],
    ['1.5', 'JPY', '2'],
  ] as const) {
    t.equal(formatAmount(amount, currency), text, amount);
  }
  t.end();
});

test('an amount is judged and spelled by its digits as by arithmetic', (t) => {
  const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 22 });
  const amount = fc.oneof(
    digits,
    fc.tuple(digits, digits).map(([whole, fraction]) => `${whole}.${fraction}`),
    fc.constantFrom(
      '0',
      '0.0',
      '1.',
      '.1',
      '01.5',
      '10.500',
      '999999999999999.9',
      '1000000000000000',
    ),
  );
  fc.assert(
    fc.property(amount, fc.nat({ max: 18 }), (text, decimals) => {
      const problem = problemByArithmetic(text, decimals);
      if (amountProblem(text, decimals) !== problem) throw new Error(`${text} ${problem}`);
      if (problem === 'not_decimal') return;
      if (plainAmount(text) !== new Decimal(text).toFixed()) throw new Error(plainAmount(text));
    }),
    { numRuns: 3_000 },
  );
  t.end();
});

test('an amount is refused for exactly the reason that holds', (t) => {
  const table: Array<[string, number, ReturnType<typeof amountProblem>]> = [
    ['10', 2, null],
    ['0.01', 2, null],
    ['999999999999999.99', 2, null],
    ['10.50', 1, null],
    ['1e3', 2, 'not_decimal'],
    ['-1', 2, 'not_decimal'],
    ['+1', 2, 'not_decimal'],
    ['01', 2, 'not_decimal'],
    ['1.', 2, 'not_decimal'],
    ['.5', 2, 'not_decimal'],
    ['', 2, 'not_decimal'],
    ['1,5', 2, 'not_decimal'],
    ['NaN', 2, 'not_decimal'],
    [' 1', 2, 'not_decimal'],
    ['0', 2, 'not_positive'],
    ['0.00', 2, 'not_positive'],
    ['1000000000000000', 2, 'too_large'],
    ['10.001', 2, 'too_many_decimals'],
    ['1.5', 0, 'too_many_decimals'],
    [`1.${'0'.repeat(70)}`, 2, 'not_decimal'],
  ];
  for (const [text, decimals, expected] of table)
    t.equal(amountProblem(text, decimals), expected, text);
  t.end();
});

test('sums of amounts are exact where doubles are not', (t) => {
  t.equal(new Decimal('0.1').plus('0.2').toFixed(), '0.3');
  const cents = fc.bigInt({ min: 1n, max: 10n ** 17n });
  fc.assert(
    fc.property(fc.array(cents, { maxLength: 50 }), (amounts) => {
      const sum = amounts.reduce((total, cent) => total.plus(asMajor(cent)), new Decimal(0));
      return formatAmount(sum, 'USD') === asMajor(amounts.reduce((a, b) => a + b, 0n));
    }),
  );
  t.end();
});

test('an amount that only needs its zeros is written as arithmetic would write it', (t) => {
  const texts = fc
    .tuple(
      fc.bigInt({ min: 0n, max: 10n ** 16n }),
      fc.string({ unit: fc.constantFrom(...'0123456789'), maxLength: 6 }),
    )
    .map(([whole, fraction]) => (fraction === '' ? `${whole}` : `${whole}.${fraction}`));
  fc.assert(
    fc.property(texts, fc.constantFrom('USD', 'JPY', 'KWD'), (text, currency) => {
      return formatAmount(text, currency) === formatAmount(new Decimal(text), currency);
    }),
  );
  t.end();
});

function asMajor(cents: bigint): string {
  const digits = cents.toString().padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

test('amounts are written with the exponent of their currency, never with an E', (t) => {
  t.equal(formatAmount('10', 'USD'), '10.00');
  t.equal(formatAmount('10', 'JPY'), '10');
  t.equal(formatAmount('1.5', 'KWD'), '1.500');
  t.equal(formatAmount('1e+3', 'USD'), '1000.00');
  t.equal(plainAmount('0.000000000000000001'), '0.000000000000000001');
  t.equal(plainAmount('100000000000000000000000'), '100000000000000000000000');
  t.end();
});
