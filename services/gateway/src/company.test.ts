import { test } from 'tap';
import { Company } from './company.js';

/** A clock that stands, and what waits for it to go on. */
function station() {
  let now = 1_000;
  const due: Array<{ at: number; work: () => void }> = [];
  const company = new Company({
    now: () => now,
    later: (work, ms) => due.push({ at: now + ms, work }),
  });
  const gone: string[] = [];
  return {
    gone,
    due,
    join: (name: string, underWay: number): void => {
      void company.join(underWay).then(() => gone.push(name));
    },
    /** Lets so much time pass, and then all that follows from it. */
    pass: async (ms: number): Promise<void> => {
      now += ms;
      for (const each of due.splice(0)) {
        if (each.at <= now) each.work();
        else due.push(each);
      }
      await new Promise(setImmediate);
    },
  };
}

test('who is alone sets out at once', async (t) => {
  const { join, pass, gone } = station();
  join('a', 1);
  await pass(0);
  t.strictSame(gone, ['a']);
});

test('who comes soon after waits, and goes with all who came meanwhile', async (t) => {
  const { join, pass, gone, due } = station();
  join('a', 10);
  await pass(0);
  join('b', 10);
  await pass(4);
  join('c', 11);
  t.strictSame(gone, ['a'], 'half a millisecond for each of ten have not passed');
  t.equal(due.length, 1, 'one departure for both');
  await pass(1);
  t.strictSame(gone, ['a', 'b', 'c']);
});

test('after a rest as long as that nobody waits', async (t) => {
  const { join, pass, gone } = station();
  join('a', 10);
  await pass(0);
  await pass(5);
  join('b', 10);
  await pass(0);
  t.strictSame(gone, ['a', 'b']);
});

test('however much is under way, nobody waits long', async (t) => {
  const { join, pass, gone } = station();
  join('a', 1_000);
  await pass(0);
  join('b', 1_000);
  await pass(64);
  t.strictSame(gone, ['a', 'b']);
});
