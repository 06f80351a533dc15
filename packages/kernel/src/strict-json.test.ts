import { test } from 'tap';
import { readStrictJson } from './strict-json.js';

const bounds = { maxDepth: 3, maxKeys: 3 };
const read = (text: string) => readStrictJson(text, bounds)?.value;

test('what has one reading is read', (t) => {
  for (const text of [
    '{"a":1,"b":[{"a":"\\"x\\\\"}]}',
    '"\\u0061"',
    '7',
    'null',
    '{"a":{"a":2}}',
    '[[[]]]',
    '{"a":1,"b":2,"c":3}',
  ]) {
    t.same(read(text), JSON.parse(text), text);
  }
  t.equal(readStrictJson('["1"]', bounds)?.hasNumber, false);
  t.equal(readStrictJson('[1]', bounds)?.hasNumber, true);
  t.end();
});

test('a key that is given twice is refused, however it is spelled', (t) => {
  for (const text of [
    '{"a":1,"a":1}',
    '{"a":1,"\\u0061":2}',
    '[{"x":{"a":"\\\\","a":"\\""}}]',
    '{"":1,"":2}',
    '{"a":"b","c":{"d":1,"d":2}}',
  ]) {
    t.ok(JSON.parse(text), text);
    t.equal(readStrictJson(text, bounds), undefined, text);
  }
  t.end();
});

test('what is no JSON, too deep, too wide or names a prototype is refused', (t) => {
  for (const text of [
    '',
    '{',
    "{'a':1}",
    '[[[[]]]]',
    '[1,[[[]]]]',
    '{"a":1,"b":2,"c":3,"d":4}',
    '{"__proto__":{}}',
    '\ufeff{}',
  ]) {
    t.equal(readStrictJson(text, bounds), undefined, text);
  }
  t.end();
});
