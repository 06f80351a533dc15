import { Metrics } from '@countersign/runtime/metrics';
import type { Redis } from '@countersign/runtime/redis';
import { test } from 'tap';
import { FailedAttempts } from './failed-attempts.js';

type Script = (key: string, add: '0' | '1', windowMs: number) => Promise<[number, number]>;

function attemptsWith(script: Script, clock: () => number): FailedAttempts {
  const redis = { defineCommand() {}, attempts: script } as unknown as Redis;
  return new FailedAttempts({ redis, metrics: new Metrics('test'), clock, multiplier: 1 });
}

const ip = '10.0.0.1';

test('while Redis is away, an address is refused for five minutes and no longer', async (t) => {
  let now = 1_000_000;
  const attempts = attemptsWith(
    () => Promise.reject(new Error('away')),
    () => now,
  );
  for (let failure = 1; failure <= 10; failure += 1) t.equal(await attempts.count(ip), null);
  t.match(await attempts.blocked(ip), { limit: 10, waitMs: 300_000 });
  t.equal(await attempts.blocked('10.0.0.2'), null);
  now += 299_999;
  t.match(await attempts.count(ip), { limit: 10, waitMs: 1 });
  now += 1;
  t.equal(await attempts.blocked(ip), null);
  t.equal(await attempts.count(ip), null, 'and counted anew');
});

test('what was counted while Redis was away still counts when it is back', async (t) => {
  let isAway = true;
  let counted = 0;
  const attempts = attemptsWith(
    async (_key, add, windowMs) => {
      if (isAway) throw new Error('away');
      counted += Number(add);
      return [counted, windowMs];
    },
    () => 1_000_000,
  );
  t.equal(await attempts.count(ip), null);
  isAway = false;
  for (let failure = 2; failure <= 10; failure += 1) t.equal(await attempts.count(ip), null);
  t.match(await attempts.blocked(ip), { limit: 10 });
  counted = 20;
  t.match(await attempts.blocked('10.0.0.2'), { limit: 10 }, 'others count elsewhere, too');
});

test('a clock that is set back keeps nobody out for as long', async (t) => {
  let now = 10_000_000;
  const attempts = attemptsWith(
    () => Promise.reject(new Error('away')),
    () => now,
  );
  for (let failure = 1; failure <= 10; failure += 1) t.equal(await attempts.count(ip), null);
  now -= 3_600_000;
  t.equal(await attempts.blocked(ip), null);
});
