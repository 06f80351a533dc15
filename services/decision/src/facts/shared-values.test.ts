import { test } from 'tap';
import { SharedValues } from './shared-values.js';

test('equal lists are one list, and lists that differ are not', (t) => {
  const shared = new SharedValues();
  const first = shared.list(['USA', 'GBR']);
  t.equal(shared.list(['USA', 'GBR']), first);
  t.strictSame(first, ['USA', 'GBR']);
  // Joined with any separator, some of these would be equal.
  for (const other of [['GBR', 'USA'], ['USA'], ['USA,GBR'], ['USA","GBR'], ['USA', '', 'GBR']]) {
    t.strictSame(shared.list([...other]), other);
  }
  t.equal(shared.list([]), shared.list([]));
  t.end();
});

test('long texts and lists are returned as they are, and not kept', (t) => {
  const shared = new SharedValues();
  const long = ['m'.repeat(300)];
  const many = Array.from({ length: 30 }, (_, n) => String(n));
  for (const list of [long, many]) {
    t.equal(shared.list(list), list);
    const again = [...list];
    t.equal(shared.list(again), again);
  }
  t.equal(shared.text(long[0] as string), long[0]);
  t.equal(shared.text('ACTIVE'), 'ACTIVE');
  t.end();
});

test('more values than are kept are all returned', (t) => {
  const shared = new SharedValues();
  const wrong = Array.from({ length: 25_000 }, (_, n) => String(n)).filter(
    (text) => shared.text(text) !== text || shared.list([text])[0] !== text,
  );
  t.strictSame(wrong, []);
  t.end();
});
