import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { test } from 'tap';
import { JsonNumber } from './number.js';
import { parseJson } from './parse.js';
import { readStrictly } from './strict-parser.js';
import { JsonError, type JsonValue, maxJsonDepth, maxJsonKeys } from './value.js';

const parse = (text: string | Uint8Array) =>
  parseJson(typeof text === 'string' ? Buffer.from(text) : text);
const value = (text: string): JsonValue => parse(text).value;

test('a key that is given twice is named, cut to a bounded length', (t) => {
  const told = (key: string) =>
    catchError(() => parse(`{"${key}":1,"${key}":2}`)).message.replace(/^.*JSON: /, '');
  t.equal(told('a'), 'duplicate key "a" at character 10.');
  t.equal(told('\\"\\n'), 'duplicate key "\\"\\n" at character 16.', 'as JSON has it');
  const long = told('x'.repeat(10_000));
  t.match(long, /^duplicate key "x{200}…" at character 20008\.$/);
  t.end();
});

test('what JSON.parse reads is read alike', (t) => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), (text) => {
      const { value: read, problems } = parse(text);
      if (problems.length > 0) return;
      t.same(JSON.parse(JSON.stringify(read)), JSON.parse(text));
    }),
    { numRuns: 500 },
  );
  t.end();
});

test('the short way finds what a strict reading finds, or the same mistake', (t) => {
  const outcome = (read: () => unknown): unknown => {
    try {
      return read();
    } catch (error) {
      return error instanceof JsonError ? error.message : error;
    }
  };
  const name = fc.constantFrom('"a"', '"b"', '"1"', '""', '"__proto__"', '"\\u0061"', '"é"');
  const leaf = fc.constantFrom(
    ...['1', '-0', '1.50', '1e2', '1E400', '0.1234567890123456', '123456789012345', '"1e5"'],
    ...['1234567890123456', '-123456789012345', '"agt_01000000000000000000000001"', '"x\\n"'],
    ...['true', 'null', '"\ue000"', '"\ud83d\ude00"', '{}', '[]', '01', "'a'", '"', ''],
  );
  const { text } = fc.letrec<{ text: string }>((tie) => ({
    text: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.array(tie('text'), { maxLength: 3 }).map((items) => `[${items.join(' ,')}]`),
      fc
        .array(fc.tuple(name, tie('text')), { maxLength: 4 })
        .map((members) => `{${members.map(([key, of]) => `${key}: ${of}`).join()}}`),
    ),
  }));
  const deep = fc.nat({ max: 40 }).map((depth) => `${'['.repeat(depth)}${']'.repeat(depth)}`);
  fc.assert(
    fc.property(fc.oneof(text, deep), (given) => {
      const strict = outcome(() => readStrictly(given));
      const found = outcome(() => parse(given));
      if (!isDeepStrictEqual(found, strict)) throw new Error(JSON.stringify({ found, strict }));
    }),
    { numRuns: 5_000 },
  );
  const wide = (keys: number) => `{${Array.from({ length: keys }, (_, i) => `"${i}":1`).join()}}`;
  for (const keys of [maxJsonKeys, maxJsonKeys + 1]) {
    t.same(
      outcome(() => parse(wide(keys))),
      outcome(() => readStrictly(wide(keys))),
    );
  }
  t.end();
});

test('white space may be between any two parts, and is what RFC 8259 says it is', (t) => {
  const space = ' \t\n\r';
  const parts = ['{', '"a"', ':', '[', '1', ',', '"\\n"', ',', '{', '}', ',', '[', ']', ']', '}'];
  const spaced = (by: string) => `${by}${parts.join(by)}${by}`;
  for (const read of [value, (text: string) => readStrictly(text).value]) {
    t.same(read(spaced(space)), { a: [1, '\n', {}, []] });
    for (const other of ['\v', '\f', '\u00a0', '\u2028', '\0', '\x08', '\x0e']) {
      t.throws(() => read(spaced(other)), JsonError, encodeURIComponent(other));
    }
  }
  t.end();
});

test('no text whatever makes it fail otherwise than with a JsonError', (t) => {
  const pieces = ['{', '}', '[', ']', ':', ',', '"', '\\', 'u', '0', '1', '-', '.', 'e', '+', 'a'];
  const rubbish = fc.array(fc.constantFrom(...pieces, ' ', '\n', '"a"', 'null', 'true', '\ud800'));
  fc.assert(
    fc.property(rubbish, (parts) => {
      const text = parts.join('');
      let read: JsonValue | undefined;
      try {
        read = value(text);
      } catch (error) {
        if (!(error instanceof JsonError)) throw error;
      }
      // Only stricter than JSON.parse, never laxer.
      if (read !== undefined) JSON.parse(text);
    }),
    { numRuns: 5_000 },
  );
  t.end();
});

test('numbers keep their value: a double where it is exact, else the source text', (t) => {
  const doubles = ['0', '-0', '10.00', '279.99', '1e2', '123456789012345', '0.1', '1E+2', '5e-324'];
  for (const text of doubles) t.equal(value(text), Number(text), text);
  const texts = ['9007199254740993', '0.12345678901234567890', '99999999999999.999999', '1e-400'];
  for (const text of texts) t.same(value(text), new JsonNumber(text), text);
  t.equal(value('0.30000000000000004'), 0.1 + 0.2, 'what a double prints it reads');
  for (const text of ['1e400', `1${'0'.repeat(200)}`]) {
    t.same(parse(`{"n":${text}}`).problems, [
      { field: 'n', message: 'is out of range', type: 'invalid_number' },
    ]);
  }
  t.end();
});

test('what is malformed is refused, with the place', (t) => {
  const malformed = [
    '',
    ' ',
    '{',
    '{}}',
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    '[1,]',
    '[1 2]',
    "{'a':1}",
    '{a:1}',
    '{xa":1}',
    '"a',
    '"\\x"',
    '"\\u12"',
    '"\n"',
    '01',
    '1.',
    '.5',
    '+1',
    '-',
    '1e',
    '0x10',
    'NaN',
    'Infinity',
    'undefined',
    'nul',
    'tru',
    '// x\n1',
    '\ufeff{}',
    '{"a":1,"a":1}',
    '{"a":1,"\\u0061":2}',
  ];
  for (const text of malformed) t.throws(() => parse(text), JsonError, text);
  t.match(catchError(() => parse('{"a" 1}')).message, /expected ":" at character 5/);
  t.end();
});

test('bytes that are not UTF-8 are told with the characters before them', (t) => {
  for (const [before, wrong, after] of [
    ['', [0xff], '{}'],
    ['"', [0xc3], '("'],
    ['"', [0xed, 0xa0, 0x80], '"'],
    ['{"a":"', [0xf0, 0x9f, 0x98], '"}'],
    ['{"é€":"', [0x80], '\ufffd"}'],
    ['{"a":"\ufffd\ufffd', [0xc0, 0xaf], '\ufffd"}'],
    ['"\ufffd\u{1f600}', [0xf0, 0x9f], ''],
    ['\ufeff', [0xff], ''],
    ['x'.repeat(100_000), [0xff], 'x'.repeat(100_000)],
  ] as const) {
    const bytes = Buffer.concat([Buffer.from(before), Buffer.from(wrong), Buffer.from(after)]);
    const { message } = catchError(() => parse(bytes));
    const told = `The body is not valid JSON: it is not UTF-8 at character ${before.length}.`;
    t.equal(message, told, before.slice(0, 20));
  }
  t.end();
});

test('bounds: depth, keys, and no stack to overflow', (t) => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
  t.ok(parse(nested(maxJsonDepth)));
  t.throws(() => parse(nested(maxJsonDepth + 1)), /deeper than 32/);
  t.throws(() => parse('['.repeat(200_000)), /deeper than 32/);
  t.throws(() => parse('{"a":'.repeat(200_000)), /deeper than 32/);
  const siblings = (depth: number) =>
    `[${nested(9)},{"a":{}},`.repeat(2).concat(nested(depth), ']]');
  for (const read of [value, (text: string) => readStrictly(text).value]) {
    t.ok(read(siblings(maxJsonDepth - 2)), 'what is closed counts no more');
    t.throws(() => read(siblings(maxJsonDepth - 1)), /deeper than 32/);
  }
  const keys = (count: number) =>
    `{${Array.from({ length: count }, (_, n) => `"k${n}":1`).join(',')}}`;
  t.ok(parse(keys(maxJsonKeys)));
  t.throws(() => parse(keys(maxJsonKeys + 1)), /more than 1000 keys/);
  t.end();
});

test('text nobody should have to deal with is named by its field', (t) => {
  const found = (text: string) => parse(text).problems.map(({ field, type }) => [field, type]);
  t.same(found('{"a":{"b":["x","\\u0000"]}}'), [['a.b.1', 'invalid_characters']]);
  t.same(found('{"a":"\\ud800","b":"\\udc00\\ud800"}'), [
    ['a', 'invalid_characters'],
    ['b', 'invalid_characters'],
  ]);
  t.same(found('{"a":"\\ud83d\\ude00"}'), [], 'a pair is fine');
  t.same(found('{"a":"\ue000A\ue001"}'), [['a', 'invalid_characters']]);
  t.same(found('{"a":"\\ue000A"}'), [['a', 'invalid_characters']]);
  t.same(found('{"\\u0000":1}'), [['\0', 'invalid_characters']]);
  t.same(found('{"a":{"__proto__":{"polluted":1}}}'), [['a.__proto__', 'unrecognized_keys']]);
  const { value: read } = parse('{"a":{"__proto__":{"polluted":1}}}');
  t.equal((read as { a: { polluted?: unknown } }).a.polluted, undefined);
  t.end();
});

test('problems cost what the body weighs, however long the names are on their way', (t) => {
  const name = 'k'.repeat(8_000);
  const count = 900;
  const { problems } = parse(`{"${name}":[${Array(count).fill('1e999').join()}]}`);
  t.equal(problems.length, count, 'each is told');
  const longest = Math.max(...problems.map(({ field }) => field.length));
  t.ok(longest < 250, `${longest} characters name a field`);
  t.equal(problems[7]?.field, `${'k'.repeat(200)}….7`, 'which begins as the name does');
  const halved = parse(`{"${'k'.repeat(199)}\ud83d\ude00":1e999}`).problems[0]?.field;
  t.equal(halved, `${'k'.repeat(199)}…`, 'and no half of a pair is left');
  t.end();
});

function catchError(work: () => unknown): Error {
  try {
    work();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('nothing was thrown');
}
