import { test } from 'tap';
import { Pace, type PaceOptions } from './pace.js';

/** A pace on a clock of its own, and how long each group had to wait, in milliseconds. */
function pacedBy(options: Omit<PaceOptions, 'timing'>) {
  let time = 1_000;
  const waits: number[] = [];
  const pause = async (ms: number): Promise<void> => {
    waits.push(ms);
    time += ms;
  };
  const pace = new Pace({ ...options, timing: { now: () => time, pause } });
  return {
    waits,
    begin: (size?: number | (() => number)) =>
      pace.begin(typeof size === 'number' ? () => size : size),
    pass: (ms: number) => {
      time += ms;
    },
  };
}

test('groups begin an interval apart, and at once after a longer time', async (t) => {
  const { begin, pass, waits } = pacedBy({ everyMs: 50 });
  await begin();
  await begin();
  pass(20);
  await begin(100);
  pass(50);
  await begin();
  t.same(waits, [50, 30]);
});

test('few wait until the next may begin, many do not', async (t) => {
  const { begin, waits } = pacedBy({ everyMs: 3_000, readySize: 2 });
  await begin(1);
  await begin(2);
  await begin(3);
  t.same(waits, []);
  await begin(1);
  t.same(waits, [3_000]);
});

test('the fewer began together, the sooner the next may begin', async (t) => {
  const { begin, pass, waits } = pacedBy({ everyMs: 8, everyMsEach: 1 });
  await begin(1);
  pass(1);
  await begin(2);
  t.same(waits, [], 'one that comes alone does not wait');
  await begin(30);
  await begin(1);
  t.same(waits, [2, 8], 'after many no longer than after any other group');
});

test('those that come during the wait belong to the group', async (t) => {
  const { begin, waits } = pacedBy({ everyMs: 8, everyMsEach: 2 });
  await begin(1);
  await begin(() => (waits.length === 0 ? 1 : 5));
  await begin(1);
  t.same(waits, [2, 8]);
});
