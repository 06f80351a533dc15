import { test } from 'tap';
import { shortened } from './shortened.js';

test('a text is cut behind its last whole character', (t) => {
  t.equal(shortened('abc', 3), 'abc');
  t.equal(shortened('abcd', 3), 'abc…');
  t.equal(shortened('ab🥐', 4), 'ab🥐');
  t.equal(shortened('ab🥐d', 3), 'ab…');
  t.equal(shortened('a🥐bd', 3), 'a🥐…');
  t.end();
});
