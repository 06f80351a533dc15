import { test } from 'tap';
import { LocalBuckets } from './local-buckets.js';

const limit = { perSecond: 2, burst: 3 };

test('a bucket gives out its burst, then what it gains, and never holds more', async (t) => {
  let now = 1_000_000;
  const buckets = new LocalBuckets(() => now);
  const takeAll = (count: number) =>
    Array.from({ length: count }, () => buckets.take('one', limit).allowed);
  t.same(takeAll(4), [true, true, true, false]);
  t.match(buckets.take('one', limit), { remaining: 0, oneInMs: 500, fullInMs: 1_500 });
  t.match(buckets.take('other', limit), { remaining: 2, oneInMs: 0 }, 'each has its own');
  now += 300;
  t.match(buckets.take('one', limit), { allowed: false, oneInMs: 200, fullInMs: 1_200 });
  now += 200;
  t.same(takeAll(2), [true, false]);
  now += 3_600_000;
  t.match(buckets.take('one', limit, 0), { allowed: true, remaining: 3, fullInMs: 0 });
  t.same(takeAll(4), [true, true, true, false], 'an idle hour gains no more than the burst');
  now -= 3_600_000;
  t.same(takeAll(1), [false], 'nor does a clock that is set back');
  now += 500;
  t.same(takeAll(2), [true, false], 'from which it gains as before');
});

test('whoever waits as long as is told is let in, or finds the bucket full again', async (t) => {
  const third = { perSecond: 3, burst: 2 };
  for (const what of ['oneInMs', 'fullInMs'] as const) {
    let now = 1_000_000;
    const buckets = new LocalBuckets(() => now);
    const take = () => buckets.take('one', third);
    t.same([take().allowed, take().allowed], [true, true]);
    const refused = take();
    t.equal(refused.allowed, false);
    now += refused[what];
    const { allowed, remaining } = take();
    t.ok(allowed, what);
    t.equal(remaining, what === 'oneInMs' ? 0 : 1);
  }
});
