import fc from 'fast-check';
import protobuf from 'protobufjs';
import { test } from 'tap';
import { encodeDirectly } from './direct-writer.js';

const createOfTheLibrary = protobuf.Writer.create;
encodeDirectly();

const { root } = protobuf.parse(`
  syntax = "proto3";
  message All {
    uint32 a = 1; int32 b = 2; sint64 c = 3; fixed32 d = 4; float e = 5; double f = 6; bool g = 7;
    string h = 8; bytes i = 9; repeated uint32 j = 10; repeated string k = 11;
    map<string, string> l = 12; All m = 100; repeated All n = 3000;
  }`);
const All = root.lookupType('All');

/** The bytes that the library's own writer makes of a message. */
function expected(message: object): Uint8Array {
  return All.encode(All.fromObject(message), new protobuf.BufferWriter()).finish();
}

function encoded(message: object): Uint8Array {
  return All.encode(All.fromObject(message)).finish();
}

const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
  fc.stringMatching(/^[ -~]{20,60}$/),
  fc
    .tuple(fc.string({ unit: 'grapheme', minLength: 1 }), fc.nat(40_000))
    .map(([unit, length]) => unit.repeat(length / unit.length)),
  fc.constantFrom('x'.repeat(127), 'x'.repeat(128), 'é'.repeat(64), '€'.repeat(5_461)),
);

const flat = fc.record(
  {
    a: fc.nat(2 ** 32 - 1),
    b: fc.integer(),
    c: fc.integer(),
    d: fc.nat(),
    e: fc.float(),
    f: fc.double(),
    g: fc.boolean(),
    h: text,
    i: fc.uint8Array({ maxLength: 300 }),
    j: fc.array(fc.nat()),
    k: fc.array(text, { maxLength: 5 }),
    l: fc.dictionary(fc.string(), fc.string()),
  },
  { requiredKeys: [] },
);

const nested = fc.record(
  { h: text, m: flat, n: fc.array(fc.record({ h: text, m: flat })) },
  { requiredKeys: [] },
);

test('a message is encoded to the bytes that the library makes of it', (t) => {
  const kept: Array<[actual: Uint8Array, expected: Uint8Array]> = [];
  fc.assert(
    fc.property(fc.oneof(flat, nested), (message) => {
      const [actual, wanted] = [encoded(message), expected(message)];
      kept.push([actual, wanted]);
      return Buffer.compare(actual, wanted) === 0;
    }),
    { numRuns: 300 },
  );
  // Messages share memory, so none may be changed by those after it.
  t.ok(kept.every(([actual, wanted]) => Buffer.compare(actual, wanted) === 0));
  t.end();
});

test('half a surrogate pair, which has no UTF-8, is replaced', (t) => {
  for (const length of [1, 60]) {
    const { h } = All.decode(encoded({ h: '\ud800'.repeat(length) })) as { h?: string };
    t.equal(h, '\ufffd'.repeat(length));
  }
  t.end();
});

test('a message that is larger than the memory of many others is encoded', (t) => {
  const message = { n: Array.from({ length: 40 }, (_, i) => ({ h: 'y'.repeat(i * 5_000) })) };
  t.same(encoded(message), expected(message));
  t.same(encoded({ a: 1 }), expected({ a: 1 }));
  t.end();
});

test('a message that cannot be encoded leaves nothing in the next one', (t) => {
  const broken = { m: { h: 'begun', m: { k: ['one', null] } } };
  t.throws(() => All.encode(broken).finish());
  t.same(encoded({ h: 'next' }), expected({ h: 'next' }));
  t.end();
});

test('two messages can be encoded at the same time', (t) => {
  const [one, other] = [protobuf.Writer.create(), protobuf.Writer.create()];
  one.uint32(8);
  other.uint32(8);
  one.uint32(1);
  other.uint32(2);
  t.strictSame([...one.finish()], [8, 1]);
  t.strictSame([...other.finish()], [8, 2]);
  t.not(protobuf.Writer.create, createOfTheLibrary);
  t.end();
});
