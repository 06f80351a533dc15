import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { test } from 'tap';
import { canonicalHash, canonicalJson } from './canonical.js';

/**
 * Keys and texts with characters that JSON escapes, lone surrogates, and integer-like keys, which
 * engines reorder.
 */
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '',
    '10',
    '9',
    '01',
    '-1',
    'a',
    'A',
    'é',
    '€',
    '😀',
    '\ud800',
    '\udc00',
    '\u2028',
  ),
  fc.constantFrom('"', '\\', '\n', '\0', '\u001f', '\u007f', '\ue000', '\uffff'),
);
const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.constantFrom(-0, 1e21, 1e-7, Number.MAX_SAFE_INTEGER, Number.MIN_VALUE),
);
const leaf = fc.oneof(text, number, fc.boolean(), fc.constant(null), fc.constant(undefined));
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    leaf,
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(text, tie('value'), { maxKeys: 40, noNullPrototype: false }),
    tie('value').map((inner) => ({ toJSON: () => inner })),
  ),
}));

test('any JSON value is spelled as the library spells it, anything else is judged alike', (t) => {
  fc.assert(
    fc.property(value, (given) => {
      const expected = canonicalize(given);
      if (expected === undefined) t.throws(() => canonicalJson(given), TypeError);
      else if (canonicalJson(given) !== expected) throw new Error(`${canonicalJson(given)}`);
    }),
    { numRuns: 3_000 },
  );
  t.end();
});

test('what has no canonical text is refused as the library refuses it', (t) => {
  const circular: Record<string, unknown> = {};
  circular.self = [circular];
  for (const bad of [Number.NaN, Number.POSITIVE_INFINITY, { a: [Number.NaN] }, circular]) {
    t.throws(() => canonicalize(bad), 'the library');
    t.throws(() => canonicalJson(bad));
  }
  t.end();
});

test('deep and wide values are spelled all the same', (t) => {
  const deep = Array.from({ length: 200 }).reduce<unknown>((inner) => ({ b: 1, a: [inner] }), null);
  t.equal(canonicalJson(deep), canonicalize(deep));
  const wide = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`k${(i * 7) % 300}`, i]));
  t.equal(canonicalJson(wide), canonicalize(wide));
  // biome-ignore lint/suspicious/noSparseArray: a hole is what is looked at.
  t.equal(canonicalJson([1, , 2]), canonicalize([1, , 2]));
  t.end();
});

test('semantically equal values have one hash, different values another', (t) => {
  t.equal(canonicalJson({ b: 1, a: [true, null], c: undefined }), '{"a":[true,null],"b":1}');
  t.equal(canonicalHash({ a: 1, b: '2' }), canonicalHash({ b: '2', a: 1 }));
  t.not(canonicalHash({ a: 1 }), canonicalHash({ a: '1' }));
  t.end();
});
