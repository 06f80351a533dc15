import { test } from 'tap';
import { inOrder } from './in-order.js';

interface Item {
  key: string;
  time: number;
}

/** Items are held for 100 ms of a clock that only `pass` moves. */
function start() {
  let now = 0;
  let timers: Array<{ at: number; work: () => void }> = [];
  const timing = {
    now: () => now,
    later: (work: () => void, ms: number) => void timers.push({ at: now + ms, work }),
  };
  const handled: string[] = [];
  const handle = inOrder<Item>(
    { holdMs: 100, timeOf: ({ time }) => time, keyOf: ({ key }) => key, timing },
    async ({ key, time }) => {
      handled.push(`${key}${time}`);
      if (time < 0) throw new Error('of a negative time');
    },
  );
  const pass = (ms: number): void => {
    now += ms;
    const due = timers.filter(({ at }) => at <= now);
    timers = timers.filter(({ at }) => at > now);
    for (const { work } of due) work();
  };
  const take = (key: string, time: number) => handle({ key, time });
  return { handled, pass, take, timers: () => timers.length };
}

test('what arrives while another is held goes before it if it belongs there', async (t) => {
  const { handled, pass, take, timers } = start();
  const all = [take('a', 3)];
  pass(60);
  all.push(take('a', 1), take('a', 2), take('a', 4));
  t.same(handled, []);
  pass(40);
  t.same(handled, ['a1', 'a2', 'a3'], 'and what belongs after it waits as long');
  pass(60);
  await Promise.all(all);
  t.same(handled, ['a1', 'a2', 'a3', 'a4']);
  t.equal(timers(), 0);
  const again = take('a', 5);
  pass(100);
  await again;
  t.same(handled.at(-1), 'a5', 'and again after a pause');
});

test('one of another key hurries nothing along', async (t) => {
  const { handled, pass, take } = start();
  const all = [take('b', 9)];
  pass(60);
  all.push(take('a', 3));
  pass(40);
  t.same(handled, ['b9'], 'although its time is the later one');
  all.push(take('a', 2));
  pass(60);
  await Promise.all(all);
  t.same(handled, ['b9', 'a2', 'a3']);
});

test('an item that fails fails alone', async (t) => {
  const { handled, pass, take } = start();
  const results = Promise.allSettled([take('a', 2), take('a', -1), take('a', 3)]);
  pass(100);
  const statuses = (await results).map(({ status }) => status);
  t.same(handled, ['a-1', 'a2', 'a3']);
  t.same(statuses, ['fulfilled', 'rejected', 'fulfilled']);
});
