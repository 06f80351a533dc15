import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'tap';
import { type PackedTrace, packTrace } from './packed-trace.js';
import {
  alternativesIn,
  amountSteps,
  column,
  columns,
  confidenceIn,
  lengthIn,
  mccIn,
  merchantIn,
  pastRow,
} from './past-row.js';

const at = Date.parse('2026-11-20T12:00:00.000Z');
const task = '00000000000ff';

/** As it is held: in an array that takes nothing but 32 bits. */
function held(packed: PackedTrace, when = at): Uint32Array {
  return Uint32Array.from(pastRow(when, 1, packed));
}

function paid(amount: string): PackedTrace {
  return packTrace({ amount, currency: 'USD', merchant: null, trace: { task } });
}

test('no word of a row is more than 32 bits hold', (t) => {
  const hash = fc.nat({ max: 2 ** 52 - 1 });
  const said = fc.constantFrom(-1, 0, 1, 65_535, 4_294_967_295);
  const share = fc.oneof(fc.constant(-1), fc.double({ min: 0, max: 1, noNaN: true }));
  const amount = fc.constantFrom(Math.log(0.0001), 0, Math.log(1e16));
  const length = fc.constantFrom(-1, 0, Math.log1p(10_000), 99);
  const packed = fc.tuple(hash, amount, said, hash, hash, hash, said, share, length);
  fc.assert(
    fc.property(packed, fc.nat({ max: 8e15 }), (numbers, when) => {
      const row = pastRow(when, 1, [...numbers, '']);
      assert.equal(row.length, columns);
      assert.deepEqual([...Uint32Array.from(row)], row);
    }),
  );
  t.end();
});

test('what a payment said is found again, and what it did not say is not', (t) => {
  const trace = { task, mcc: '5411', alternatives: 3, confidence: 0.9 };
  const merchant = 'f'.repeat(64);
  const row = held(
    packTrace({
      amount: '10',
      currency: 'USD',
      merchant,
      trace: { ...trace, reasoning: [80, ''] },
    }),
  );
  t.equal(mccIn(row, 0), 5_411);
  t.equal(alternativesIn(row, 0), 3);
  t.ok(Math.abs((confidenceIn(row, 0) ?? 0) - 0.9) < 0.0001);
  t.ok(Math.abs((lengthIn(row, 0) ?? 0) - Math.log1p(80)) < 0.001);
  t.equal(merchantIn(row, 0), 2 ** 52 - 1, 'in all bits there are');
  const silent = held(paid('10'));
  t.strictSame([mccIn(silent, 0), merchantIn(silent, 0)], [0, 0]);
  t.strictSame(
    [alternativesIn, confidenceIn, lengthIn].map((of) => of(silent, 0)),
    Array(3).fill(null),
  );
  t.end();
});

test('one amount is equal to itself in each spelling, and to none a cent apart', (t) => {
  const amountOf = (amount: string): number => held(paid(amount))[column.amount] ?? 0;
  t.equal(amountOf('10'), amountOf('10.00'));
  t.not(amountOf('10.00'), amountOf('10.01'));
  t.not(amountOf('1000000.00'), amountOf('1000000.01'));
  t.ok(amountOf('0.0001') > 0);
  t.ok(amountOf('999999999999999.99') < 2 ** 32 - 1);
  const twice = (amountOf('20') - amountOf('10')) / amountSteps;
  t.ok(Math.abs(twice - Math.log(2)) < 1e-7);
  t.end();
});

test('a time is a second, and none is so late that it would be an early one', (t) => {
  t.equal(held(paid('1'))[column.at], at / 1_000);
  t.equal(held(paid('1'), Date.parse('9999-12-31T23:59:59.999Z'))[column.at], 2 ** 32 - 1);
  t.end();
});
