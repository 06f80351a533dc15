import { test } from 'tap';
import {
  rateLimit,
  refusedHeaders,
  scaledLimit,
  setRateHeaders,
  wholeSeconds,
} from './rate-limits.js';

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

test('times are told in whole seconds, and never before they have come', async (t) => {
  const waits = [0, 1, 999, 1_000, 1_001, 2_000, 2_001];
  const told = [1, 1, 1, 1, 2, 2, 3];
  t.same(waits.map(wholeSeconds), told);
  t.same(
    waits.map((waitMs) => Number(refusedHeaders({ limit: 10, waitMs }, 0)['Retry-After'])),
    told,
  );
  const resets: Array<[now: number, fullInMs: number, reset: string]> = [
    [5_000, 0, '5'],
    [5_000, 1, '6'],
    [5_400, 600, '6'],
    [5_400, 601, '7'],
  ];
  for (const [now, fullInMs, reset] of resets) {
    const headers: Record<string, string> = {};
    setRateHeaders(headers, { limit: 10, remaining: 0, fullInMs }, now);
    t.equal(headers['X-RateLimit-Reset'], reset, `${now} + ${fullInMs}`);
  }
});
