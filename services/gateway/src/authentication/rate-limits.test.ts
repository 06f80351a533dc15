import { test } from 'tap';
import { rateLimit, scaledLimit } from './rate-limits.js';

test('ten exchanges a minute: after the first ten, one in six seconds', async (t) => {
  for (const environment of ['live', 'sandbox'] as const) {
    const limit = rateLimit('token', environment);
    t.equal(limit?.burst, 10);
    t.equal(Math.round((limit?.perSecond ?? 0) * 60), 10);
  }
});

test('a multiplier scales a limit, and never leaves it without a single call', async (t) => {
  const limit = { perSecond: 5, burst: 10 };
  t.same(scaledLimit(limit, 2), { perSecond: 10, burst: 20 });
  t.same(scaledLimit(limit, 0.25), { perSecond: 1.25, burst: 2 });
  t.same(scaledLimit(limit, 0.01), { perSecond: 0.05, burst: 1 });
  t.equal(scaledLimit(limit, 0), null, 'off');
  t.equal(scaledLimit(rateLimit('none', 'live'), 2), null);
});
