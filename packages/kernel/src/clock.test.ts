import { test } from 'tap';
import { isKeptTime, isoTime } from './clock.js';

test('a time is kept in the years that four digits tell, in UTC', (t) => {
  const first = Date.parse('0001-01-01T00:00:00.000Z');
  const last = Date.parse('9999-12-31T23:59:59.999Z');
  for (const at of [first, 0, last]) t.equal(isKeptTime(at), true, isoTime(at));
  for (const at of [first - 1, last + 1, Number.NaN]) t.equal(isKeptTime(at), false, String(at));
  t.end();
});
