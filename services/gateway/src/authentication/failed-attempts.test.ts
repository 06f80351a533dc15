import { Metrics } from '@countersign/runtime/metrics';
import type { Redis } from '@countersign/runtime/redis';
import { test } from 'tap';
import { FailedAttempts } from './failed-attempts.js';

test('while Redis is away, an address is refused for five minutes and no longer', async (t) => {
  let now = 1_000_000;
  const redis = { defineCommand() {}, attempts: () => Promise.reject(new Error('away')) };
  const attempts = new FailedAttempts({
    redis: redis as unknown as Redis,
    metrics: new Metrics('test'),
    clock: () => now,
    multiplier: 1,
  });
  const ip = '10.0.0.1';
  for (let failure = 1; failure <= 10; failure += 1) t.equal(await attempts.count(ip), null);
  t.match(await attempts.blocked(ip), { limit: 10, waitMs: 300_000 });
  t.equal(await attempts.blocked('10.0.0.2'), null);
  now += 299_999;
  t.match(await attempts.count(ip), { limit: 10, waitMs: 1 });
  now += 1;
  t.equal(await attempts.blocked(ip), null);
  t.equal(await attempts.count(ip), null, 'and counted anew');
});
