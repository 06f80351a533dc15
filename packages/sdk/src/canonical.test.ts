import { test } from 'tap';
import { canonicalJson } from './canonical.js';

class Decimal {
  digits = [1, 9, 9];
  toJSON(): string {
    return '19.9';
  }
}

test('a value that defines its own JSON is hashed as it is sent', (t) => {
  const at = new Date('2026-11-23T12:00:00.000Z');
  const request = { amount: new Decimal(), crypto: { value: new Decimal() }, at: [at] };
  t.equal(
    canonicalJson(request),
    '{"amount":"19.9","at":["2026-11-23T12:00:00.000Z"],"crypto":{"value":"19.9"}}',
  );
  const absent = { toJSON: () => undefined };
  t.equal(
    canonicalJson({ absent, list: [absent, undefined], none: undefined }),
    '{"list":[null,null]}',
  );
  t.end();
});

test('members are in the order of their code units', (t) => {
  const value = { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\ud83d\ude00': 5, '\u0080': 6 };
  const expected = '{"\\r":2,"1":4,"\u0080":6,"\u20ac":1,"\ud83d\ude00":5,"\ufb33":3}';
  t.equal(canonicalJson(value), expected);
  t.equal(canonicalJson({ b: [-0, 1e21, 0.1], a: null }), '{"a":null,"b":[0,1e+21,0.1]}');
  t.end();
});
