import { test } from 'tap';
import { Front } from './front.js';

/** A front at a time that the test sets. */
function frontAt(start?: string) {
  const clock = { ms: 1_000 };
  return { clock, front: new Front(start, () => clock.ms) };
}

test('a read begins where those of two seconds ago began', async (t) => {
  const { clock, front } = frontAt();
  t.equal(front.from(), '0', 'the first at the very start');
  for (const seq of ['100', '200', '300']) {
    front.saw(seq);
    clock.ms += 1_000;
  }
  t.equal(front.from(), '100', 'a row with a number above it may not be visible yet');
  clock.ms += 500;
  t.equal(front.from(), '200');
});

test('every five seconds a read begins at the start, for rows that commit late', async (t) => {
  const { clock, front } = frontAt('50');
  const begun: string[] = [];
  for (let second = 0; second < 12; second += 1) {
    begun.push(front.from());
    front.saw(String(1_000 + second));
    clock.ms += 1_000;
  }
  t.same(
    begun.flatMap((seq, second) => (seq === '50' ? second : [])),
    [0, 5, 10],
  );
});

test('where a row before the front is found, reads begin there again', async (t) => {
  const { clock, front } = frontAt();
  front.from();
  front.saw('500');
  clock.ms += 3_000;
  front.saw('600');
  front.saw('40');
  t.equal(front.from(), '40', 'more of the same transaction may follow');
});
