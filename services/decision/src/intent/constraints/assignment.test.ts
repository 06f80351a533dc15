import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'tap';
import { isAssignable, type Line } from './assignment.js';

const product = fc.constantFrom('a', 'b', 'c', 'd');
const entry = fc.record({
  products: fc.uniqueArray(product),
  quantity: fc.integer({ min: 1, max: 3 }),
});
const quantities = fc.dictionary(product, fc.integer({ min: 1, max: 3 }), {
  noNullPrototype: true,
});

function lineOf({ products, quantity }: { products: string[]; quantity: number }): Line {
  return { products: new Set(products), isWildcard: products.length === 0, quantity };
}

/** Tries all lines for each item in turn. */
function isPossible(lines: readonly Line[], items: readonly string[]): boolean {
  const [item, ...rest] = items;
  if (item === undefined) return true;
  return lines.some((line, at) => {
    if (line.quantity === 0 || !(line.isWildcard || line.products.has(item))) return false;
    return isPossible(lines.with(at, { ...line, quantity: line.quantity - 1 }), rest);
  });
}

test('the answer is that of trying every assignment', (t) => {
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 4 }), quantities, (entries, wanted) => {
      const lines = entries.map(lineOf);
      const cart = new Map(Object.entries(wanted));
      const items = [...cart].flatMap(([name, count]) => Array<string>(count).fill(name));
      assert.equal(isAssignable(lines, cart), isPossible(lines, items));
    }),
    { numRuns: 2_000 },
  );
  t.end();
});

test('large quantities take no more steps than small ones', (t) => {
  const much = 1_000_000_000;
  const lines = [
    lineOf({ products: ['a', 'b'], quantity: much }),
    lineOf({ products: ['a'], quantity: much }),
  ];
  t.ok(
    isAssignable(
      lines,
      new Map([
        ['a', much],
        ['b', much],
      ]),
    ),
  );
  t.notOk(
    isAssignable(
      lines,
      new Map([
        ['a', 1],
        ['b', much + 1],
      ]),
    ),
  );
  t.end();
});
